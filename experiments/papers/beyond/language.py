"""Five algorithms on language, with as much of it as two processor cores can read."""

from __future__ import annotations

from experiments.declaration import Artifact, Metric, Scale, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS, FAIRNESS_NOTE
from experiments.papers.common import few_steps, scales

# So many that the 50 rounds of a short run are 2,000 steps one after the other: plain SGD on
# batches of 10 windows of all roles needs some 700 before it does more than answer with a space.
_MAX_WINDOWS = 500
# Half of a cohort of FedFa's: a run takes half as long, with as many steps after one another.
_ROLES_PER_ROUND = 5
_MIN_TWEETS = 5
# A momentum of 0.5 makes steps twice as long in the long run. FedFa has two, and by its recipe a
# tenth of the others' rate of 0.8, of whose steps its own are then two fifths; these are as long.
_RATE_OF_LONGER_STEPS = 0.2

LANGUAGE = Artifact(
    name="beyond/language",
    title="LSTMs on Shakespeare and on tweets, with few examples of each client",
    datasets=("shakespeare", "sent140"),
    variants=(
        Variant("FedAvg", "fed_avg"),
        Variant("FedProx", "fed_prox"),
        Variant("FedFa", "fed_fa"),
        Variant(
            f"FedFa at {_RATE_OF_LONGER_STEPS}",
            "fed_fa",
            {"learning_rate": _RATE_OF_LONGER_STEPS},
            datasets=("shakespeare",),
        ),
        Variant("FedAdp", "fed_adp"),
        Variant("WeiAvg", "wei_avg"),
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
    notes=(
        FAIRNESS_NOTE,
        f"Shakespeare: at most {_MAX_WINDOWS} windows of each of 143 roles, drawn at random from "
        f"thousands; one local epoch instead of 20; cohorts of {_ROLES_PER_ROUND} instead of 10. "
        "The most frequent answer is a space.",
        f"Sent140: the accounts with at least {_MIN_TWEETS} tweets, where the papers ask for more "
        "than 30. Without the whole Sentiment140 these are few, and so are their tweets. Most "
        "clients are tested on one tweet, with 0 or 100 %. The embedding is learned; the papers' "
        "is GloVe.",
        f"FedFa at {_RATE_OF_LONGER_STEPS} is a control: at this rate both momenta make steps as "
        "long as the others'. By the recipe they are two fifths as long.",
        "Rates, momenta and FedProx's strength are those of FedFa's and FedProx's papers for the "
        "whole data: see the recipes. WeiAvg weighs by projection.",
    ),
)
