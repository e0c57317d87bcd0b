"""All algorithms side by side: overview, bytes, fairness, and language."""

from __future__ import annotations

import functools

from experiments.declaration import Metric, Scale, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS, VARIANCE
from experiments.papers.beyond import fair_field
from experiments.papers.common import few_steps, rounds_to, scales
from experiments.papers.folder import noted

_TARGET = 70
# With this number, the 50 rounds of a short run take 2,000 steps in a row. Plain SGD on batches of
# 10 windows of all roles needs about 700 steps before it predicts anything but a space.
_MAX_WINDOWS = 500
# Half of FedFa's cohort: a run takes half as long and has the same number of steps in a row.
_ROLES_PER_ROUND = 5
_MIN_TWEETS = 5
# A momentum of 0.5 makes steps twice as long in the long run. FedFa has two momenta, and by its
# recipe a tenth of the others' rate of 0.8, so its steps are two fifths as long. At this rate they
# are equally long.
_RATE_OF_LONGER_STEPS = 0.2

_FED_AVG = Variant("FedAvg", "fed_avg")
_FED_PROX = Variant("FedProx", "fed_prox")
_SCAFFOLD = Variant("SCAFFOLD", "scaffold")
_FED_NOVA = Variant("FedNova", "fed_nova")
_Q_FED_AVG = Variant("q-FedAvg", "q_fed_avg")
_FED_FA = Variant("FedFa", "fed_fa")
_FED_ADP = Variant("FedAdp", "fed_adp")
_FED_VECA = Variant("FedVeca", "fed_veca")
_FED_CAV = Variant("FedCav", "fed_cav")
_BY_PROJECTION = Variant("WeiAvg (projection)", "wei_avg")
_BY_ENTROPY = Variant("WeiAvg (entropy)", "wei_avg", {"by": "entropy"})
_CENTRALIZED = Variant("centralized SGD", "centralized_sgd")

# The settings of the algorithms that were made for other data, as far as FedFa's clients allow
# them.
_FED_ADP_OWN = Variant(
    "FedAdp, own settings",
    "fed_adp",
    {"clients_per_round": 30, "epochs": 1, "batch_size": 50, "learning_rate_decay": 0.995},
)
_FED_VECA_OWN = Variant(
    "FedVeca, own settings", "fed_veca", {"clients_per_round": 30, "batch_size": 32}
)
_FED_CAV_OWN = Variant("FedCav, own settings", "fed_cav", {"epochs": 3})

_AND_VARIANCE = (*FAIRNESS_METRICS[:2], VARIANCE)

_artifact = noted(
    "beyond",
    __file__,
    most_windows=_MAX_WINDOWS,
    roles=_ROLES_PER_ROUND,
    tweets=_MIN_TWEETS,
    rate=_RATE_OF_LONGER_STEPS,
)
_of_every_algorithm = functools.partial(
    _artifact,
    datasets=("synthetic_1_1",),
    variants=(
        *(_FED_AVG, _FED_PROX, _SCAFFOLD, _FED_NOVA, _Q_FED_AVG, _FED_FA, _FED_ADP, _FED_ADP_OWN),
        *(_FED_VECA, _FED_VECA_OWN, _FED_CAV, _FED_CAV_OWN),
        *(_BY_PROJECTION, _BY_ENTROPY, _CENTRALIZED),
    ),
    scales=scales(5, 100, 200),
)

ARTIFACTS = (
    _of_every_algorithm(
        "side_by_side",
        "The five papers' algorithms beside FedAvg, FedProx and q-FedAvg",
        variants=(
            *(_FED_AVG, _FED_PROX, _Q_FED_AVG, _FED_FA),
            *(_FED_ADP_OWN, _FED_VECA_OWN, _FED_CAV_OWN, _BY_PROJECTION),
        ),
        metrics=_AND_VARIANCE,
    ),
    _of_every_algorithm(
        "overview",
        "Ten algorithms and centralized SGD on synthetic(1, 1)",
        metrics=(
            *_AND_VARIANCE,
            rounds_to(_TARGET),
            fair_field.cost("megabytes_to", "MB to 70 %", parameter=float(_TARGET)),
            fair_field.SECONDS,
        ),
    ),
    _of_every_algorithm(
        "communication",
        "Bytes of every algorithm, as sent here and as in its paper (FedFa, section 4.5)",
        metrics=(
            *fair_field.KILOBYTES,
            fair_field.cost("paper_kilobytes_down", "kB down, paper's way"),
            fair_field.cost("paper_kilobytes_up", "kB up, paper's way"),
            rounds_to(_TARGET),
            fair_field.cost("megabytes_to", "MB to 70 %", parameter=float(_TARGET)),
            fair_field.cost(
                "paper_megabytes_to", "MB to 70 %, paper's way", parameter=float(_TARGET)
            ),
        ),
    ),
    # An amount of text that two processor cores can train on.
    _artifact(
        "language",
        "LSTMs on Shakespeare and on tweets, with few examples of each client",
        datasets=("shakespeare", "sent140"),
        variants=(
            *(_FED_AVG, _FED_PROX, _FED_FA),
            Variant(
                f"FedFa at {_RATE_OF_LONGER_STEPS}",
                "fed_fa",
                {"learning_rate": _RATE_OF_LONGER_STEPS},
                datasets=("shakespeare",),
            ),
            *(_FED_ADP, Variant("WeiAvg", "wei_avg")),
        ),
        on_datasets={
            "shakespeare": {
                "max_samples_per_client": _MAX_WINDOWS,
                "epochs": 1,
                "clients_per_round": _ROLES_PER_ROUND,
            },
            "sent140": {"min_tweets_per_account": _MIN_TWEETS, "sample_fraction": 1.0},
        },
        scales=scales(
            Scale(1, few_steps(1, clients=2), datasets=("shakespeare",)),
            Scale(50, {"rounds_per_evaluation": 10}),
            Scale(200, {"rounds_per_evaluation": 10}),
        ),
        metrics=(Metric("test_weighted_average", "of all examples %"), *FAIRNESS_METRICS),
        reference="FedAvg",
    ),
    *fair_field.artifacts(_artifact),
)
