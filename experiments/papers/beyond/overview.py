"""All algorithms on synthetic(1, 1), and their bytes."""

from __future__ import annotations

from experiments.declaration import Artifact, Metric, Scale, Variant
from experiments.declaration.fairness import VARIANCE

_TARGET = 70.0
_FED_ADP = {
    "clients_per_round": 30,
    "epochs": 1,
    "batch_size": 50,
    "learning_rate_decay": 0.995,
}
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
ALGORITHMS = tuple(variant.label for variant in _EVERY_ALGORITHM)
_SCALES = {"smoke": Scale(5), "short": Scale(100), "paper": Scale(200)}

_SETTINGS = (
    "Every algorithm has its own recipe for FedFa's data: FedFa at 0.0001 with both momenta, "
    "FedNova 5 epochs, FedVeca steps set by its server from 2 on, the others 0.01 and 20 epochs; "
    "centralized SGD takes as many steps as a cohort of FedAvg on average."
)
_OWN_SETTINGS = (
    "20 epochs, and cohorts of 10 of 30 clients, are not what FedAdp, FedVeca and FedCav were made "
    "for: their rows tell how they fare in FedFa's setting, not what their papers claim. Their own "
    "settings stand beside them, as far as these clients allow: FedAdp with all clients, one "
    "epoch, batches of 50 and 0.995 times the rate each round; FedVeca with all clients and "
    "batches of 32; FedCav with 3 epochs. The clients and the model are still not those of their "
    "papers."
)
_ALL_CLIENTS = (
    "FedVeca rejects a round whose estimated loss is not below the smallest so far; with cohorts "
    "that change, estimates of one cohort are held against those of another."
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

OVERVIEW = (
    Artifact(
        name="beyond/side_by_side",
        title="The five papers' algorithms beside FedAvg, FedProx and q-FedAvg",
        datasets=("synthetic_1_1",),
        variants=tuple(each for each in _EVERY_ALGORITHM if each.label in _SIDE_BY_SIDE),
        scales=_SCALES,
        metrics=(
            Metric("test_average", "average %"),
            Metric("test_worst_20", "worst 20 %"),
            VARIANCE,
        ),
        notes=(
            "Per-client test accuracy of the global model after the last round, over all clients.",
            "The runs are those of beyond/overview.",
            _SETTINGS,
            _OWN_SETTINGS,
        ),
    ),
    Artifact(
        name="beyond/overview",
        title="Ten algorithms and centralized SGD on synthetic(1, 1)",
        datasets=("synthetic_1_1",),
        variants=_EVERY_ALGORITHM,
        scales=_SCALES,
        metrics=(
            Metric("test_average", "average %"),
            Metric("test_worst_20", "worst 20 %"),
            VARIANCE,
            Metric("rounds_to", "rounds to 70 %", parameter=_TARGET, decimals=1),
            Metric("megabytes_to", "MB to 70 %", parameter=_TARGET),
            Metric("seconds_per_round", "seconds a round / FedAvg's", relative_to="FedAvg"),
        ),
        notes=(
            "Per-client test accuracy of the global model after the last round, over all clients.",
            _TARGETS,
            _SETTINGS,
            _OWN_SETTINGS,
            _ALL_CLIENTS,
            "Seconds were taken while other runs shared the machine; the benchmark compares them "
            "side by side.",
        ),
    ),
    Artifact(
        name="beyond/communication",
        title="Bytes of every algorithm, as sent here and as in its paper (FedFa, section 4.5)",
        datasets=("synthetic_1_1",),
        variants=_EVERY_ALGORITHM,
        scales=_SCALES,
        metrics=(
            Metric("kilobytes_down", "kB down", smaller_is_better=True),
            Metric("kilobytes_up", "kB up", smaller_is_better=True),
            Metric("paper_kilobytes_down", "kB down, paper's way", smaller_is_better=True),
            Metric("paper_kilobytes_up", "kB up, paper's way", smaller_is_better=True),
            Metric(
                "rounds_to", "rounds to 70 %", parameter=_TARGET, smaller_is_better=True, decimals=1
            ),
            Metric("megabytes_to", "MB to 70 %", parameter=_TARGET, smaller_is_better=True),
            Metric(
                "paper_megabytes_to",
                "MB to 70 %, paper's way",
                parameter=_TARGET,
                smaller_is_better=True,
            ),
        ),
        notes=(
            "Down and up are for one client and round; MB to 70 % are both ways, of the whole "
            "cohort, until the target is reached. " + _TARGETS,
            "The runs are those of beyond/overview.",
            "Here no single update reaches the server, so that secure sums and noise fit in. "
            "Clients themselves measure what is compared with the mean update (FedAdp, WeiAvg "
            "by projection): they send their update twice, and the cohort's weights go down as "
            "a table. The papers' servers hold every update and send the model alone. FedVeca's "
            "server also sends the last gradient; here a client gets its length, one number.",
            _SETTINGS,
            _OWN_SETTINGS,
        ),
    ),
)
