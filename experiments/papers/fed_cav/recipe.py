"""FedCav's settings (Zeng et al., ICPP 2021), as its data set is described.

The settings of the authors' published log differ: see the artifact `fedcav/log`.
"""

from __future__ import annotations

from experiments.declaration import Recipe

RECIPES = (
    Recipe(
        {"learning_rate": 0.01, "batch_size": 10, "epochs": 3, "clients_per_round": 10},
        source="the authors' `launch_exp.sh`: 100 clients, a tenth of them in a round",
        datasets=("mnist_major_minor",),
    ),
    Recipe(
        {"proximal_strength": 1.0},
        source="the authors' `launch_exp.sh`",
        datasets=("mnist_major_minor",),
        algorithms=("fed_prox",),
    ),
)
