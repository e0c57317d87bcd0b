"""How fair every algorithm is on every data set, and who is better off than alone."""

from __future__ import annotations

from experiments.declaration import Artifact, Drawn, Scale, Variant
from experiments.declaration.fairness import (
    ALONE_NOTES,
    FAIRNESS_METRICS,
    FAIRNESS_NOTE,
    WEIGHTED_VARIANCE,
    gain_metrics,
)

ALONE = "alone"

_VARIANTS = (
    Variant("FedAvg", "fed_avg"),
    Variant("uniform", "fed_avg", {"weighting": "uniform"}),
    Variant("FedProx", "fed_prox"),
    Variant("SCAFFOLD", "scaffold"),
    Variant("FedNova", "fed_nova"),
    Variant("q-FedAvg", "q_fed_avg"),
    Variant("FedFa-mo", "fed_fa_mo"),
    Variant("FedFa", "fed_fa"),
    Variant("FedAdp", "fed_adp"),
    Variant("FedVeca", "fed_veca"),
    Variant("FedCav", "fed_cav"),
    Variant("WeiAvg (projection)", "wei_avg"),
    Variant("WeiAvg (entropy)", "wei_avg", {"by": "entropy"}),
    Variant("centralized SGD", "centralized_sgd"),
    Variant(ALONE, "trained_alone"),
)
METHODS = tuple(variant.label for variant in _VARIANTS)
_METRICS = (
    *FAIRNESS_METRICS,
    WEIGHTED_VARIANCE,
    *gain_metrics(ALONE),
)

_LINEAR = (
    "synthetic_iid",
    "synthetic_0_0",
    "synthetic_0.5_0.5",
    "synthetic_1_1",
    "synthetic_dirichlet_0.1",
    "synthetic_dirichlet_0.5",
    "synthetic_dirichlet_3",
    "synthetic_dirichlet_5",
    "mnist",
    "femnist",
    "mnist_case_3",
)
_NETWORKS = (
    "mnist_x_class",
    "fashion_mnist_x_class",
    "mnist_mixed_classes",
    "mnist_general_case_1",
    "mnist_general_case_2",
    "mnist_major_minor",
    "mnist_entropy",
    "fashion_mnist_entropy",
    "cifar10_entropy",
    "cifar10_case_3",
    "shakespeare",
)
_LIGHT = {"epochs": None, "steps": 2, "clients_per_evaluation": 5}

_NOTES = (
    FAIRNESS_NOTE,
    *ALONE_NOTES,
    "The weighted variance is around the mean on the pooled test examples, each client counting by "
    "its number of them.",
    "Every algorithm has its own recipe for the data set, and where its paper has none the data "
    "set's: what it was not made for, it is shown in all the same. FedVeca's server sets its "
    "steps; centralized SGD takes as many as a cohort of FedAvg on average.",
)
_SHARED_TEST = (
    "Where a paper divides the official test set among the clients, their test examples have all "
    "labels, also those that a client never trains on: alone cannot do well there."
)
_STAND_IN = (
    "femnist is read from a stand-in where EMNIST is not at hand: numbers on a stand-in are not "
    "numbers on FEMNIST."
)

_LINEAR_SCALES = {
    "smoke": Scale(2, {"epochs": None, "steps": 2}, datasets=("synthetic_1_1",)),
    "short": Scale(100),
    "paper": Scale(200),
}
# Centralized SGD and clients alone are references, no ways of weighing clients.
_FEDERATED = tuple(v for v in _VARIANTS if v.label not in (ALONE, "centralized SGD"))

FAIRNESS = (
    Artifact(
        name="beyond/fairness",
        title="Fairness of all algorithms, and beside being alone: linear models",
        datasets=_LINEAR,
        variants=_VARIANTS,
        scales=_LINEAR_SCALES,
        metrics=_METRICS,
        notes=(*_NOTES, _SHARED_TEST, _STAND_IN),
    ),
    Artifact(
        name="beyond/ranks",
        title="How the algorithms rank over the data sets of beyond/fairness",
        datasets=_LINEAR,
        variants=_FEDERATED,
        scales=_LINEAR_SCALES,
        metrics=_METRICS[:2],
        view=Drawn("experiments.papers.beyond.ranks:draw"),
        notes=(
            "The runs are those of beyond/fairness. The variance is not ranked: that of a "
            "collapsed model is small.",
            "Data sets of one family are not independent, as the tests take them to be: with "
            "eight of them synthetic, the ranks say most about these.",
        ),
    ),
    Artifact(
        name="beyond/fairness_networks",
        title="Fairness of all algorithms, and beside being alone: convolutions and LSTMs",
        datasets=_NETWORKS,
        variants=_VARIANTS,
        scales={
            "smoke": Scale(1, _LIGHT, datasets=("mnist_major_minor",)),
            # Its numbers are of the last round; an evaluation takes some 60 % as long as a round.
            "short": Scale(
                20,
                {"rounds_per_evaluation": 20},
                datasets=_NETWORKS[:2],
                why_left_out="they would take hours on two processor cores",
            ),
            "paper": Scale(100),
        },
        metrics=_METRICS,
        notes=(*_NOTES, _SHARED_TEST),
    ),
)
