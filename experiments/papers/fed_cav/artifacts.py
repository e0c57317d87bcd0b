"""FedCav's curves (Zeng et al., ICPP 2021), beside the log that its authors published."""

from __future__ import annotations

import pathlib

from experiments.declaration import Artifact, Curve, Curves, Metric, Scale, Variant
from experiments.papers.common import few_steps, rounds_to, scales

# With which the log was made (`create_clients.py`, `local_update.py`, `main.py` and `launch_exp.sh`
# in https://github.com/zenghui9977/FedCav at the commit of the log, 6656cdd): 450 + 150 images for
# every client, and momentum.
_LOG = {"samples_per_client": 600, "stdev": 0.0, "client_momentum": 0.9}
_SUM = {**_LOG, "loss_reduction": "sum"}
_NOT_CLIPPED = {"clip": "none"}
_SHOWN = (10, 50, 100)
_ATTACK = {"attack_round": 20}
_AUDIT = {"audit": True}
_BOTH = {**_ATTACK, **_AUDIT}

_TWO_STEPS = few_steps(2, clients=5)
_SCALES = scales(Scale(2, _TWO_STEPS), 100, 100)
_SCALES_OF_ATTACK = scales(22, 100, 100)
_ACCURACY = Curves((Curve("evaluation/test_average", "test accuracy, %"),))
_AROUND_THE_ATTACK = (
    Metric("test_average", "average % in round 19", in_round=19),
    Metric("test_average", "in round 20", in_round=20),
    Metric("test_average", "in round 22", in_round=22),
    Metric("test_average", "in the last round"),
    Metric("alarms", "alarms", smaller_is_better=True, decimals=1),
)
_ATTACKER = (
    "One client of the cohort replaces the average by five times the mirrored model, up to the "
    "others' updates. It divides its update by the weight that the server gives it in that round.",
    "The paper's full text was not available, so the audit is our reading.",
    "Alarms without an attack are false.",
)
_OF_THE_LOG = (
    "Settings are those of the authors' published log: client momentum 0.9, 450 + 150 images for "
    "every client, FedProx averaged uniformly"
)
_ATTACKED = (Variant("FedCav", "fed_cav", _ATTACK), Variant("FedCav, audit", "fed_cav", _BOTH))
_NOT_ATTACKED = Variant("FedCav, audit, no attack", "fed_cav", _AUDIT)

LOG = Artifact(
    name="fedcav/log",
    title="FedCav, FedAvg and FedProx as in the authors' log, and as in the appendix",
    datasets=("mnist_major_minor",),
    variants=(
        Variant("FedAvg", "fed_avg", _LOG),
        Variant("FedCav", "fed_cav", _SUM),
        Variant("FedProx", "fed_prox", {**_LOG, "weighting": "uniform"}),
        Variant("FedCav, not clipped", "fed_cav", {**_SUM, **_NOT_CLIPPED}),
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
        rounds_to(90),
    ),
    view=_ACCURACY,
    paper_files=(pathlib.Path(__file__).parent / "author_log.csv",),
    notes=(
        "Accuracy of the global model on the official test images.",
        "The paper's numbers are from its authors' published log of one run on MNIST. The "
        "first four methods have its settings: client momentum 0.9, the sum of the losses of "
        "a client's batches, 450 + 150 images for every client, and FedProx averaged "
        "uniformly.",
        "The appendix's settings have no momentum, the mean of the losses, clients of 300 ± "
        "150 images, and FedProx weighed by these numbers.",
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
            rounds_to(90),
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
        variants=(Variant("FedAvg", "fed_avg", _ATTACK), *_ATTACKED, _NOT_ATTACKED),
        scales=_SCALES_OF_ATTACK,
        metrics=_AROUND_THE_ATTACK,
        notes=_ATTACKER,
    ),
    Artifact(
        name="fedcav/disarmed",
        title="The same attack by a client that reports a loss of 1e10, which disarms the audit",
        datasets=("synthetic_1_1",),
        variants=(
            *_ATTACKED,
            Variant(
                "FedCav, audit, false loss", "fed_cav_misreporting", {**_BOTH, "false_loss": 1e10}
            ),
            _NOT_ATTACKED,
        ),
        scales=_SCALES_OF_ATTACK,
        metrics=_AROUND_THE_ATTACK,
        notes=(
            "The audit compares losses with the largest of the round before. That may be the "
            "attacker's own, above any true loss. A client whose examples are multiplied by 1e10 "
            "reports such a loss truthfully.",
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
            Variant("FedCav", "fed_cav", {**_SUM, **_ATTACK}),
            Variant("FedCav, audit", "fed_cav", {**_SUM, **_BOTH}),
            Variant("FedCav, audit, no attack", "fed_cav", {**_SUM, **_AUDIT}),
        ),
        scales=scales(Scale(22, _TWO_STEPS), 40, 100),
        metrics=_AROUND_THE_ATTACK,
        view=_ACCURACY,
        notes=(f"{_OF_THE_LOG}, and the sum of the losses of a client's batches.", *_ATTACKER),
    ),
)
