"""What the algorithms need where the paper of a data set does not say it."""

from __future__ import annotations

from experiments.declaration import Recipe

RECIPES = (
    Recipe(
        {"proximal_strength": 1.0},
        source="FedProx (Li et al., MLSys 2020), section 5: its best value on synthetic data, "
        "MNIST and FEMNIST",
        algorithms=("fed_prox",),
    ),
    Recipe(
        {"q": 1.0},
        source="FedFa, section 4.1",
        algorithms=("q_fed_avg",),
    ),
    Recipe(
        {"client_momentum": 0.0},
        source="SCAFFOLD (Karimireddy et al. 2020), Algorithm 1, whose variates are of plain SGD",
        algorithms=("scaffold",),
    ),
)
