"""FedAdp's settings (Wu and Wang, IEEE TCCN 2021)."""

from __future__ import annotations

from experiments.declaration import OfAllClients, Recipe

_X_CLASS = ("mnist_x_class", "fashion_mnist_x_class")
_MIXED = ("mnist_mixed_classes",)
_GENERAL = ("mnist_general_case_1", "mnist_general_case_2")
_ALL = (*_X_CLASS, *_MIXED, *_GENERAL)

RECIPES = (
    Recipe(
        {"learning_rate": 0.01, "learning_rate_decay": 0.995, "batch_size": 32, "epochs": 1},
        source="sections III-B and V",
        datasets=_ALL,
    ),
    Recipe(
        {"batch_size": 50}, source="section V", datasets=_ALL, models=("image_logistic_regression",)
    ),
    Recipe(
        {"clients_per_round": OfAllClients(("num_iid", "num_non_iid"))},
        source="section V: all nodes participate",
        datasets=_X_CLASS,
    ),
    Recipe(
        {"clients_per_round": OfAllClients(("num_iid", "num_one_class", "num_two_class"))},
        source="section V: all nodes participate",
        datasets=_MIXED,
    ),
    Recipe({"clients_per_round": 10}, source="section V: all nodes participate", datasets=_GENERAL),
    Recipe({"alpha": 5.0}, source="section V", algorithms=("fed_adp",)),
)
