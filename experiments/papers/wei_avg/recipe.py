"""WeiAvg's settings (Dong et al. 2023), section IV."""

from __future__ import annotations

import functools

from experiments.declaration import Recipe

DATASETS = ("mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy")

_on_its_data = functools.partial(Recipe, datasets=DATASETS)

RECIPES = (
    _on_its_data({"learning_rate": 0.01}, source="Decision: the paper does not say"),
    _on_its_data({"client_momentum": 0.9}, source="before table I"),
    _on_its_data({"clients_per_round": 10}, source="table I"),
    *(
        Recipe({"batch_size": size, "epochs": epochs}, source="table I", datasets=(dataset,))
        for dataset, size, epochs in zip(DATASETS, (64, 32, 32), (10, 10, 20))
    ),
    _on_its_data({"proximal_strength": 0.05}, source="section IV-B", algorithms=("fed_prox",)),
)
