"""FedAdp: clients whose updates point along the mean update count more."""

from __future__ import annotations

from experiments.declaration import OfAllClients, Recipe
from experiments.papers.common import of_library
from experiments.papers.fed_adp.artifacts import ARTIFACTS, READINGS
from experiments.papers.folder import paper

_X_CLASS = ("mnist_x_class", "fashion_mnist_x_class")
_MIXED = ("mnist_mixed_classes",)
_GENERAL = ("mnist_general_case_1", "mnist_general_case_2")
_ALL = (*_X_CLASS, *_MIXED, *_GENERAL)


def _of_all_nodes(number: int | OfAllClients, datasets: tuple[str, ...]) -> Recipe:
    return Recipe({"clients_per_round": number}, "section V: all nodes participate", datasets)


PAPER = paper(
    "fedadp",
    __file__,
    title="FedAdp",
    citation="Wu and Wang, Fast-Convergent Federated Learning with Adaptive Weighting, IEEE TCCN "
    "2021",
    # The paper's server computes the angles from the updates, so clients send nothing else.
    algorithms={"fed_adp": of_library("fed_adp", color="#ff5aaf", marker="<")},
    recipes=(
        Recipe(
            {"learning_rate": 0.01, "learning_rate_decay": 0.995, "batch_size": 32, "epochs": 1},
            source="sections III-B and V",
            datasets=_ALL,
        ),
        Recipe(
            {"batch_size": 50},
            source="section V",
            datasets=_ALL,
            models=("image_logistic_regression",),
        ),
        _of_all_nodes(OfAllClients(("num_iid", "num_non_iid")), _X_CLASS),
        _of_all_nodes(OfAllClients(("num_iid", "num_one_class", "num_two_class")), _MIXED),
        _of_all_nodes(10, _GENERAL),
        Recipe({"alpha": 5.0}, source="section V", algorithms=("fed_adp",)),
    ),
    artifacts=ARTIFACTS,
    readings=READINGS,
)
