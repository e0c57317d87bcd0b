"""All algorithms on synthetic(1, 1), and their bytes."""

from __future__ import annotations

import functools

from experiments.declaration import Metric, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS, VARIANCE
from experiments.papers.beyond.fairness import artifact
from experiments.papers.common import rounds_to, scales

_TARGET = 70
_FED_ADP = {"clients_per_round": 30, "epochs": 1, "batch_size": 50, "learning_rate_decay": 0.995}
_EVERY_ALGORITHM = (
    Variant("FedAvg", "fed_avg"),
    Variant("FedProx", "fed_prox"),
    Variant("SCAFFOLD", "scaffold"),
    Variant("FedNova", "fed_nova"),
    Variant("q-FedAvg", "q_fed_avg"),
    Variant("FedFa", "fed_fa"),
    Variant("FedAdp", "fed_adp"),
    Variant("FedAdp, own settings", "fed_adp", _FED_ADP),
    Variant("FedVeca", "fed_veca"),
    Variant("FedVeca, own settings", "fed_veca", {"clients_per_round": 30, "batch_size": 32}),
    Variant("FedCav", "fed_cav"),
    Variant("FedCav, own settings", "fed_cav", {"epochs": 3}),
    Variant("WeiAvg (projection)", "wei_avg"),
    Variant("WeiAvg (entropy)", "wei_avg", {"by": "entropy"}),
    Variant("centralized SGD", "centralized_sgd"),
)
_SIDE_BY_SIDE = (
    *("FedAvg", "FedProx", "q-FedAvg", "FedFa", "FedAdp, own settings", "FedVeca, own settings"),
    *("FedCav, own settings", "WeiAvg (projection)"),
)
_FAIRNESS = (*FAIRNESS_METRICS[:2], VARIANCE)
_smaller = functools.partial(Metric, smaller_is_better=True)
_artifact = functools.partial(
    artifact,
    datasets=("synthetic_1_1",),
    variants=_EVERY_ALGORITHM,
    scales=scales(5, 100, 200),
)

OVERVIEW = (
    _artifact(
        "side_by_side",
        "The five papers' algorithms beside FedAvg, FedProx and q-FedAvg",
        variants=tuple(each for each in _EVERY_ALGORITHM if each.label in _SIDE_BY_SIDE),
        metrics=_FAIRNESS,
    ),
    _artifact(
        "overview",
        "Ten algorithms and centralized SGD on synthetic(1, 1)",
        metrics=(
            *_FAIRNESS,
            Metric("rounds_to", "rounds to 70 %", parameter=float(_TARGET), decimals=1),
            Metric("megabytes_to", "MB to 70 %", parameter=float(_TARGET)),
            Metric("seconds_per_round", "seconds a round / FedAvg's", relative_to="FedAvg"),
        ),
    ),
    _artifact(
        "communication",
        "Bytes of every algorithm, as sent here and as in its paper (FedFa, section 4.5)",
        metrics=(
            _smaller("kilobytes_down", "kB down"),
            _smaller("kilobytes_up", "kB up"),
            _smaller("paper_kilobytes_down", "kB down, paper's way"),
            _smaller("paper_kilobytes_up", "kB up, paper's way"),
            rounds_to(_TARGET),
            _smaller("megabytes_to", "MB to 70 %", parameter=float(_TARGET)),
            _smaller("paper_megabytes_to", "MB to 70 %, paper's way", parameter=float(_TARGET)),
        ),
    ),
)
