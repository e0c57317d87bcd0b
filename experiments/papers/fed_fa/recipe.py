"""FedFa's settings (Huang et al., Information Sciences 2022), section 4.1 unless another is named.

FedProx's strengths, which the paper does not give, are the best ones of FedProx's own.
"""

from __future__ import annotations

from experiments.declaration import Recipe

_FED_FA = ("fed_fa", "fed_fa_mo")

_LESS_HETEROGENEOUS = ("synthetic_iid", "synthetic_0_0")
_MORE_HETEROGENEOUS = ("synthetic_0.5_0.5", "synthetic_1_1")
# Section 4.1 does not say which of its two pairs of momenta the Dirichlet sets of figure 6 have,
# and for LEAF's own three there is no paper. Decision: those of the more heterogeneous sets. For
# JSON of anybody's, `leaf`, no rate is taken for granted: that of another data set may be far off.
_NOT_NAMED = (
    "synthetic_dirichlet_0.1",
    "synthetic_dirichlet_0.5",
    "synthetic_dirichlet_3",
    "synthetic_dirichlet_5",
    "leaf_femnist",
    "leaf_sent140",
    "leaf_shakespeare",
)
_SYNTHETIC = (*_LESS_HETEROGENEOUS, *_MORE_HETEROGENEOUS, *_NOT_NAMED)
_ALL = (*_SYNTHETIC, "mnist", "femnist", "sent140", "shakespeare")

RECIPES = (
    Recipe({"clients_per_round": 10}, source="Implementation", datasets=_ALL),
    Recipe(
        {"epochs": 20, "batch_size": 10},
        source="Decision: FedProx's (Li et al., MLSys 2020, section 5), whose data these are",
        datasets=_ALL,
    ),
    Recipe({"epochs": 5}, source="Implementation", datasets=_ALL, algorithms=("fed_nova",)),
    Recipe(
        {"client_momentum": 0.5, "server_momentum": 0.5},
        source="Decision: those of most of its data sets, for all that it does not name",
        algorithms=_FED_FA,
    ),
    Recipe({"learning_rate": 0.01}, source="Implementation", datasets=_SYNTHETIC),
    Recipe({"learning_rate": 0.03}, source="Implementation", datasets=("mnist",)),
    Recipe({"learning_rate": 0.003}, source="Implementation", datasets=("femnist",)),
    Recipe({"learning_rate": 0.3}, source="Implementation", datasets=("sent140",)),
    Recipe({"learning_rate": 0.8}, source="Implementation", datasets=("shakespeare",)),
    Recipe(
        {"learning_rate": 0.0001, "client_momentum": 0.9, "server_momentum": 0.5},
        source="Implementation; figure 2",
        datasets=_LESS_HETEROGENEOUS,
        algorithms=_FED_FA,
    ),
    Recipe(
        {"learning_rate": 0.0001, "client_momentum": 0.5, "server_momentum": 0.5},
        source="Implementation; figure 2",
        datasets=(*_MORE_HETEROGENEOUS, *_NOT_NAMED),
        algorithms=_FED_FA,
    ),
    Recipe(
        {"learning_rate": 0.0003, "client_momentum": 0.5, "server_momentum": 0.5},
        source="Implementation; figure 3",
        datasets=("mnist",),
        algorithms=_FED_FA,
    ),
    Recipe(
        {"learning_rate": 0.0003, "client_momentum": 0.2, "server_momentum": 0.5},
        source="Implementation; figure 3",
        datasets=("femnist",),
        algorithms=_FED_FA,
    ),
    Recipe(
        {"learning_rate": 0.0001, "client_momentum": 0.1, "server_momentum": 0.5},
        source="Implementation; figure 3",
        datasets=("sent140",),
        algorithms=_FED_FA,
    ),
    Recipe(
        {"learning_rate": 0.08, "client_momentum": 0.5, "server_momentum": 0.5},
        source="Implementation; figure 3",
        datasets=("shakespeare",),
        algorithms=_FED_FA,
    ),
    Recipe(
        {"proximal_strength": 0.01},
        source="FedProx, section 5: its best value",
        datasets=("sent140",),
        algorithms=("fed_prox",),
    ),
    Recipe(
        {"proximal_strength": 0.001},
        source="FedProx, section 5: its best value",
        datasets=("shakespeare",),
        algorithms=("fed_prox",),
    ),
)
