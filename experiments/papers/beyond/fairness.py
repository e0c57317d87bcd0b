"""How fair every algorithm is on every data set, and who is better off than alone."""

from __future__ import annotations

from experiments.declaration import Drawn, Scale, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS, WEIGHTED_VARIANCE, gain_metrics
from experiments.papers.common import few_steps, noted, scales

artifact = noted("beyond", __file__)
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
_METRICS = (*FAIRNESS_METRICS, WEIGHTED_VARIANCE, *gain_metrics(ALONE))

_LINEAR = (
    *(f"synthetic_{each}" for each in ("iid", "0_0", "0.5_0.5", "1_1")),
    *(f"synthetic_dirichlet_{zeta}" for zeta in ("0.1", "0.5", "3", "5")),
    *("mnist", "femnist", "mnist_case_3"),
)
_NETWORKS = (
    *("mnist_x_class", "fashion_mnist_x_class", "mnist_mixed_classes"),
    *("mnist_general_case_1", "mnist_general_case_2", "mnist_major_minor"),
    *(f"{images}_entropy" for images in ("mnist", "fashion_mnist", "cifar10")),
    *("cifar10_case_3", "shakespeare"),
)

_LINEAR_SCALES = scales(Scale(2, few_steps(2), datasets=("synthetic_1_1",)), 100, 200)

FAIRNESS = (
    artifact(
        "fairness",
        "Fairness of all algorithms, and beside being alone: linear models",
        datasets=_LINEAR,
        variants=_VARIANTS,
        scales=_LINEAR_SCALES,
        metrics=_METRICS,
    ),
    artifact(
        "ranks",
        "How the algorithms rank over the data sets of beyond/fairness",
        datasets=_LINEAR,
        # Centralized SGD and clients alone are references, no ways of weighing clients.
        variants=tuple(v for v in _VARIANTS if v.label not in (ALONE, "centralized SGD")),
        scales=_LINEAR_SCALES,
        metrics=_METRICS[:2],
        view=Drawn("experiments.papers.beyond.ranks:draw"),
    ),
    artifact(
        "fairness_networks",
        "Fairness of all algorithms, and beside being alone: convolutions and LSTMs",
        datasets=_NETWORKS,
        variants=_VARIANTS,
        scales=scales(
            Scale(1, few_steps(2, clients=5), datasets=("mnist_major_minor",)),
            # Its numbers are of the last round; an evaluation takes some 60 % as long as a round.
            Scale(
                20,
                {"rounds_per_evaluation": 20},
                datasets=_NETWORKS[:2],
                why_left_out="they would take hours on two processor cores",
            ),
            100,
        ),
        metrics=_METRICS,
    ),
)
