"""FedCav's curves (Zeng et al., ICPP 2021), beside the log that its authors published."""

from __future__ import annotations

import functools
import pathlib

from experiments.declaration import Curve, Curves, Metric, Scale, Variant, readings_artifact
from experiments.papers.common import few_steps, rounds_to, scales
from experiments.papers.folder import noted, read_readings

# Only the paper's appendix is available.
READINGS = read_readings(__file__)

# The settings of the log: 450 + 150 images for every client, and momentum. Source:
# `create_clients.py`, `local_update.py`, `main.py` and `launch_exp.sh` in
# https://github.com/zenghui9977/FedCav at the commit of the log, 6656cdd.
_LOG = {"samples_per_client": 600, "stdev": 0.0, "client_momentum": 0.9}
_SUM = {**_LOG, "loss_reduction": "sum"}
_UNIFORM = {**_LOG, "weighting": "uniform"}
_NOT_CLIPPED = {"clip": "none"}
_ATTACK = {"attack_round": 20}
_AUDIT = {"audit": True}
_BOTH = {**_ATTACK, **_AUDIT}
_BY_CLIENT = {"audit_by": "client"}
_FALSE_LOSS = {**_BOTH, "false_loss": 1e10}

_ACCURACY = Curves((Curve("evaluation/test_average", "test accuracy, %"),))
_TWO_STEPS = few_steps(2, clients=5)
_noted = noted("fedcav", __file__)
_artifact = functools.partial(
    _noted,
    datasets=("mnist_major_minor",),
    scales=scales(Scale(2, _TWO_STEPS), 100, 100),
    view=_ACCURACY,
)
_under_attack = functools.partial(
    _noted,
    datasets=("synthetic_1_1",),
    scales=scales(22, 100, 100),
    metrics=(
        Metric("test_average", "average % in round 19", in_round=19),
        Metric("test_average", "in round 20", in_round=20),
        Metric("test_average", "in round 22", in_round=22),
        Metric("test_average", "in the last round"),
        Metric("alarms", "alarms", smaller_is_better=True, decimals=1),
    ),
)
_ATTACKED = (Variant("FedCav", "fed_cav", _ATTACK), Variant("FedCav, audit", "fed_cav", _BOTH))
_NOT_ATTACKED = Variant("FedCav, audit, no attack", "fed_cav", _AUDIT)

_IN_LOG = _artifact(
    "log",
    "FedCav, FedAvg and FedProx as in the authors' log, and by our defaults",
    variants=(
        Variant("FedAvg", "fed_avg", _LOG),
        Variant("FedCav", "fed_cav", _SUM),
        Variant("FedProx", "fed_prox", _UNIFORM),
        Variant("FedCav, not clipped", "fed_cav", {**_SUM, **_NOT_CLIPPED}),
        Variant("FedAvg, our defaults", "fed_avg"),
        Variant("FedCav, our defaults", "fed_cav"),
        Variant("FedProx, our defaults", "fed_prox"),
        Variant("FedCav, our defaults, not clipped", "fed_cav", _NOT_CLIPPED),
    ),
    metrics=(
        *(
            Metric("test_average", f"% in round {number}", f"round_{number}", in_round=number)
            for number in (10, 50, 100)
        ),
        Metric("test_average", "in the last round"),
        rounds_to(90),
    ),
    paper_files=(pathlib.Path(__file__).with_name("author_log.csv"),),
)

ARTIFACTS = (
    _IN_LOG,
    _artifact(
        "losses",
        "What FedCav weighs by: the sum or the mean of a client's losses, clipped or not",
        variants=(
            Variant("FedAvg", "fed_avg", _LOG),
            Variant("FedProx", "fed_prox", _UNIFORM),
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
        metrics=(
            Metric("test_average", "% in round 10", in_round=10),
            Metric("test_average", "% in the last round"),
            rounds_to(90),
            Metric("mean_effective_participants", "effective participants of 10"),
        ),
    ),
    _under_attack(
        "audit",
        "A model-replacement attack in round 20, with and without FedCav's audit",
        variants=(
            Variant("FedAvg", "fed_avg", _ATTACK),
            Variant("FedProx", "fed_prox", _ATTACK),
            *_ATTACKED,
            _NOT_ATTACKED,
        ),
    ),
    _under_attack(
        "audit_by_client",
        "The same attack, where the audit compares a client's loss with its own last one",
        variants=(
            *_ATTACKED,
            Variant("FedCav, audit, own history", "fed_cav", {**_BOTH, **_BY_CLIENT}),
            Variant("FedCav, audit, no attack, own history", "fed_cav", {**_AUDIT, **_BY_CLIENT}),
        ),
    ),
    _under_attack(
        "disarmed",
        "The same attack by a client that reports a loss of 1e10",
        variants=(
            *_ATTACKED,
            Variant("FedCav, audit, false loss", "fed_cav_misreporting", _FALSE_LOSS),
            Variant(
                "FedCav, audit, own history, false loss",
                "fed_cav_misreporting",
                {**_FALSE_LOSS, **_BY_CLIENT},
            ),
            _NOT_ATTACKED,
        ),
    ),
    _under_attack(
        "attack",
        "The same attack on the authors' task",
        datasets=("mnist_major_minor",),
        variants=(
            Variant("FedAvg", "fed_avg", {**_LOG, **_ATTACK}),
            Variant("FedProx", "fed_prox", {**_UNIFORM, **_ATTACK}),
            Variant("FedCav", "fed_cav", {**_SUM, **_ATTACK}),
            Variant("FedCav, audit", "fed_cav", {**_SUM, **_BOTH}),
            Variant("FedCav, audit, no attack", "fed_cav", {**_SUM, **_AUDIT}),
        ),
        scales=scales(Scale(22, _TWO_STEPS), 40, 100),
        view=_ACCURACY,
    ),
    readings_artifact(
        _IN_LOG,
        READINGS,
        comparisons=(("FedCav", "FedAvg"), ("FedCav", "FedProx")),
        baselines=("FedAvg", "FedProx"),
        metric=Metric("test_average", "% in round 50", "round_50", in_round=50),
    ),
)
