"""WeiAvg's settings (Dong et al. 2023), section IV."""

from __future__ import annotations

from experiments.declaration import Recipe

_ALL = ("mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy")

RECIPES = (
    Recipe({"learning_rate": 0.01}, source="Decision: the paper does not say", datasets=_ALL),
    Recipe({"client_momentum": 0.9}, source="before table I", datasets=_ALL),
    Recipe({"clients_per_round": 10}, source="table I", datasets=_ALL),
    Recipe({"batch_size": 64, "epochs": 10}, source="table I", datasets=("mnist_entropy",)),
    Recipe({"batch_size": 32, "epochs": 10}, source="table I", datasets=("fashion_mnist_entropy",)),
    Recipe({"batch_size": 32, "epochs": 20}, source="table I", datasets=("cifar10_entropy",)),
    Recipe(
        {"proximal_strength": 0.05}, source="section IV-B", datasets=_ALL, algorithms=("fed_prox",)
    ),
)
