"""All algorithms on synthetic(1, 1), and their bytes."""

from __future__ import annotations

import functools

from experiments.declaration import Artifact, Metric, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS, FAIRNESS_NOTE, VARIANCE
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
_SCALES = scales(5, 100, 200)
_FAIRNESS = (*FAIRNESS_METRICS[:2], VARIANCE)

_SETTINGS = (
    "Every algorithm has its recipe for FedFa's data. FedFa has a rate of 0.0001 and both "
    "momenta, FedNova 5 epochs, and FedVeca's server sets the steps, from 2 on. The others have "
    "0.01 and 20 epochs. Centralized SGD takes as many steps as a cohort of FedAvg on average."
)
_OWN_SETTINGS = (
    "FedAdp, FedVeca and FedCav were not made for 20 epochs and cohorts of 10 of 30 clients. "
    "Their rows show how they fare in FedFa's setting, not what their papers claim. Rows with "
    "their own settings stand beside them, as far as these clients allow. FedAdp has all clients,"
    " one epoch, batches of 50 and 0.995 times the rate each round. FedVeca has all clients and "
    "batches of 32, and FedCav 3 epochs. Clients and model are still not those of their papers."
)
_ALL_CLIENTS = (
    "FedVeca rejects a round whose estimated loss is not below the smallest so far. Where cohorts"
    " change, it compares estimates of different cohorts."
)
_TARGETS = "The target is on the pooled test examples."

_SIDE_BY_SIDE = (
    "FedAvg",
    "FedProx",
    "q-FedAvg",
    "FedFa",
    "FedAdp, own settings",
    "FedVeca, own settings",
    "FedCav, own settings",
    "WeiAvg (projection)",
)

_artifact = functools.partial(
    Artifact, datasets=("synthetic_1_1",), variants=_EVERY_ALGORITHM, scales=_SCALES
)

OVERVIEW = (
    _artifact(
        name="beyond/side_by_side",
        title="The five papers' algorithms beside FedAvg, FedProx and q-FedAvg",
        variants=tuple(each for each in _EVERY_ALGORITHM if each.label in _SIDE_BY_SIDE),
        metrics=_FAIRNESS,
        notes=(FAIRNESS_NOTE, "The runs are those of beyond/overview.", _SETTINGS, _OWN_SETTINGS),
    ),
    _artifact(
        name="beyond/overview",
        title="Ten algorithms and centralized SGD on synthetic(1, 1)",
        metrics=(
            *_FAIRNESS,
            Metric("rounds_to", "rounds to 70 %", parameter=float(_TARGET), decimals=1),
            Metric("megabytes_to", "MB to 70 %", parameter=float(_TARGET)),
            Metric("seconds_per_round", "seconds a round / FedAvg's", relative_to="FedAvg"),
        ),
        notes=(
            FAIRNESS_NOTE,
            _TARGETS,
            _SETTINGS,
            _OWN_SETTINGS,
            _ALL_CLIENTS,
            "Seconds were taken while other runs shared the machine; the benchmark compares them "
            "side by side.",
        ),
    ),
    _artifact(
        name="beyond/communication",
        title="Bytes of every algorithm, as sent here and as in its paper (FedFa, section 4.5)",
        metrics=(
            Metric("kilobytes_down", "kB down", smaller_is_better=True),
            Metric("kilobytes_up", "kB up", smaller_is_better=True),
            Metric("paper_kilobytes_down", "kB down, paper's way", smaller_is_better=True),
            Metric("paper_kilobytes_up", "kB up, paper's way", smaller_is_better=True),
            rounds_to(_TARGET),
            Metric("megabytes_to", "MB to 70 %", parameter=float(_TARGET), smaller_is_better=True),
            Metric(
                "paper_megabytes_to",
                "MB to 70 %, paper's way",
                parameter=float(_TARGET),
                smaller_is_better=True,
            ),
        ),
        notes=(
            "Down and up are for one client and round; MB to 70 % are both ways, of the whole "
            "cohort, until the target is reached. " + _TARGETS,
            "The runs are those of beyond/overview.",
            "Here no single update reaches the server, so that secure sums and noise fit in. In "
            "FedAdp and WeiAvg by projection the clients measure how their update compares with "
            "the mean update. They send their update twice, and the cohort's weights go down as a"
            " table. The papers' servers hold every update and send the model alone. FedVeca's "
            "server also sends the last gradient; here a client gets its norm, one number.",
            _SETTINGS,
            _OWN_SETTINGS,
        ),
    ),
)
