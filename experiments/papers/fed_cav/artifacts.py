"""FedCav's curves (Zeng et al., ICPP 2021), beside the log that its authors published."""

from __future__ import annotations

import pathlib

from experiments.declaration import Artifact, Curve, Curves, Metric, Scale, Variant

# With which the log was made (`create_clients.py`, `local_update.py`, `main.py` and `launch_exp.sh`
# in https://github.com/zenghui9977/FedCav at the commit of the log, 6656cdd): 450 + 150 images for
# every client, and momentum.
_LOG = {"samples_per_client": 600, "stdev": 0.0, "client_momentum": 0.9}
_SUM = {"loss_reduction": "sum"}
_NOT_CLIPPED = {"clip": "none"}
_SHOWN = (10, 50, 100)
_ATTACK = {"attack_round": 20}
_AUDIT = {"audit": True}
_LIE = {"false_loss": 1e10}

_TWO_STEPS = {"epochs": None, "steps": 2, "clients_per_evaluation": 5}
_SCALES = {
    "smoke": Scale(2, settings=_TWO_STEPS),
    "short": Scale(100),
    "paper": Scale(100),
}
_SCALES_OF_ATTACK = {"smoke": Scale(22), "short": Scale(100), "paper": Scale(100)}
_ACCURACY = Curves((Curve("evaluation/test_average", "test accuracy, %"),))
_AROUND_THE_ATTACK = (
    Metric("test_average", "average % in round 19", in_round=19),
    Metric("test_average", "in round 20", in_round=20),
    Metric("test_average", "in round 22", in_round=22),
    Metric("test_average", "in the last round"),
    Metric("alarms", "alarms", smaller_is_better=True, decimals=1),
)
_ATTACKER = (
    "One client of the cohort sends what turns the average into five times the mirrored model, up "
    "to the others' updates: it enlarges its update by the inverse of the weight that the server "
    "gives it in that round.",
    "The audit is a reading of the paper, whose full text was not available.",
    "Alarms without an attack are false.",
)
_OF_THE_LOG = (
    "Settings are those of the authors' published log: client momentum 0.9, 450 + 150 images for "
    "every client, FedProx averaged uniformly"
)

LOG = Artifact(
    name="fedcav/log",
    title="FedCav, FedAvg and FedProx as in the authors' log, and as in the appendix",
    datasets=("mnist_major_minor",),
    variants=(
        Variant("FedAvg", "fed_avg", _LOG),
        Variant("FedCav", "fed_cav", {**_LOG, **_SUM}),
        Variant("FedProx", "fed_prox", {**_LOG, "weighting": "uniform"}),
        Variant("FedCav, not clipped", "fed_cav", {**_LOG, **_SUM, **_NOT_CLIPPED}),
        Variant("FedAvg, appendix", "fed_avg"),
        Variant("FedCav, appendix", "fed_cav"),
        Variant("FedProx, appendix", "fed_prox"),
        Variant("FedCav, appendix, not clipped", "fed_cav", _NOT_CLIPPED),
    ),
    scales=_SCALES,
    metrics=(
        *(
            Metric("test_average", f"% in round {number}", f"round_{number}", in_round=number)
            for number in _SHOWN
        ),
        Metric("test_average", "in the last round"),
        Metric("rounds_to", "rounds to 90 %", parameter=90.0, smaller_is_better=True, decimals=1),
    ),
    view=_ACCURACY,
    paper_files=(pathlib.Path(__file__).parent / "author_log.csv",),
    notes=(
        "Accuracy of the global model on the official test images.",
        "The paper's numbers are those of its authors' published log of one run on MNIST. The "
        "first four methods have the settings it was made with: client momentum 0.9, the sum "
        "of the losses of a client's batches, 450 + 150 images for every client, and FedProx "
        "averaged uniformly.",
        "Those of the appendix have no momentum, the mean of the losses, clients of 300 ± 150 "
        "images, and FedProx averaged by them.",
    ),
)

ARTIFACTS = (
    LOG,
    Artifact(
        name="fedcav/losses",
        title="What FedCav weighs by: the sum or the mean of a client's losses, clipped or not",
        datasets=("mnist_major_minor",),
        variants=(
            Variant("FedAvg", "fed_avg", _LOG),
            *(
                Variant(
                    f"FedCav, {reduction}, {text}",
                    "fed_cav",
                    {**_LOG, "loss_reduction": reduction, "clip": clip},
                )
                for reduction in ("sum", "mean")
                for clip, text in (("mean", "clipped"), ("none", "not clipped"))
            ),
        ),
        scales=_SCALES,
        metrics=(
            Metric("test_average", "% in round 10", in_round=10),
            Metric("test_average", "% in the last round"),
            Metric(
                "rounds_to", "rounds to 90 %", parameter=90.0, smaller_is_better=True, decimals=1
            ),
            Metric("mean_effective_participants", "effective participants of 10"),
        ),
        view=_ACCURACY,
        notes=(
            f"{_OF_THE_LOG}. The log itself has the sum, clipped.",
            "The runs with the sum are those of fedcav/log.",
        ),
    ),
    Artifact(
        name="fedcav/audit",
        title="A model-replacement attack in round 20, with and without FedCav's audit",
        datasets=("synthetic_1_1",),
        variants=(
            Variant("FedAvg", "fed_avg", _ATTACK),
            Variant("FedCav", "fed_cav", _ATTACK),
            Variant("FedCav, audit", "fed_cav", {**_ATTACK, **_AUDIT}),
            Variant("FedCav, audit, no attack", "fed_cav", _AUDIT),
        ),
        scales=_SCALES_OF_ATTACK,
        metrics=_AROUND_THE_ATTACK,
        notes=_ATTACKER,
    ),
    Artifact(
        name="fedcav/disarmed",
        title="The same attack by a client that reports a loss of 1e10, which disarms the audit",
        datasets=("synthetic_1_1",),
        variants=(
            Variant("FedCav", "fed_cav", _ATTACK),
            Variant("FedCav, audit", "fed_cav", {**_ATTACK, **_AUDIT}),
            Variant(
                "FedCav, audit, false loss", "fed_cav_misreporting", {**_ATTACK, **_AUDIT, **_LIE}
            ),
            Variant("FedCav, audit, no attack", "fed_cav", _AUDIT),
        ),
        scales=_SCALES_OF_ATTACK,
        metrics=_AROUND_THE_ATTACK,
        notes=(
            "The audit compares losses with the largest of the round before: with the attacker's "
            "own, if that is larger than any loss will ever be. A client whose examples are "
            "multiplied by 1e10 has such a loss without a lie.",
            *_ATTACKER,
        ),
    ),
    Artifact(
        name="fedcav/attack",
        title="The same attack on the authors' task",
        datasets=("mnist_major_minor",),
        variants=(
            Variant("FedAvg", "fed_avg", {**_LOG, **_ATTACK}),
            Variant("FedProx", "fed_prox", {**_LOG, **_ATTACK, "weighting": "uniform"}),
            Variant("FedCav", "fed_cav", {**_LOG, **_SUM, **_ATTACK}),
            Variant("FedCav, audit", "fed_cav", {**_LOG, **_SUM, **_ATTACK, **_AUDIT}),
            Variant("FedCav, audit, no attack", "fed_cav", {**_LOG, **_SUM, **_AUDIT}),
        ),
        scales={
            "smoke": Scale(22, settings=_TWO_STEPS),
            "short": Scale(40),
            "paper": Scale(100),
        },
        metrics=_AROUND_THE_ATTACK,
        view=_ACCURACY,
        notes=(f"{_OF_THE_LOG}, and the sum of the losses of a client's batches.", *_ATTACKER),
    ),
)
