"""WeiAvg's settings (Dong et al. 2023), section IV."""

from __future__ import annotations

from experiments.declaration import Recipe

DATASETS = ("mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy")

RECIPES = (
    Recipe({"learning_rate": 0.01}, source="Decision: the paper does not say", datasets=DATASETS),
    Recipe({"client_momentum": 0.9}, source="before table I", datasets=DATASETS),
    Recipe({"clients_per_round": 10}, source="table I", datasets=DATASETS),
    *(
        Recipe({"batch_size": size, "epochs": epochs}, source="table I", datasets=(dataset,))
        for dataset, size, epochs in zip(DATASETS, (64, 32, 32), (10, 10, 20))
    ),
    Recipe(
        {"proximal_strength": 0.05},
        source="section IV-B",
        datasets=DATASETS,
        algorithms=("fed_prox",),
    ),
)
