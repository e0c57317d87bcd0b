"""FedFa's settings (Huang et al., Information Sciences 2022), section 4.1 unless another is named.

The paper does not give FedProx's strengths; these are the best ones of FedProx's own paper.
"""

from __future__ import annotations

from experiments.declaration import Recipe

_FED_FA = ("fed_fa", "fed_fa_mo")

_LESS_HETEROGENEOUS = ("synthetic_iid", "synthetic_0_0")
# Section 4.1 does not say which of its two pairs of momenta figure 6's Dirichlet sets have. LEAF's
# own three data sets are in no paper. Decision: those of the more heterogeneous sets. `leaf` reads
# anybody's JSON and has no default rate: the rate of another data set may be far off.
_MORE_HETEROGENEOUS = (
    *("synthetic_0.5_0.5", "synthetic_1_1"),
    *(f"synthetic_dirichlet_{zeta}" for zeta in ("0.1", "0.5", "3", "5")),
    *("leaf_femnist", "leaf_sent140", "leaf_shakespeare"),
)
# The rates of the baselines and of FedFa, and its client momentum; the momenta are in figures 2 and
# 3.
_RATES = (
    (_LESS_HETEROGENEOUS, 0.01, 0.0001, 0.9, "figure 2"),
    (_MORE_HETEROGENEOUS, 0.01, 0.0001, 0.5, "figure 2"),
    (("mnist",), 0.03, 0.0003, 0.5, "figure 3"),
    (("femnist",), 0.003, 0.0003, 0.2, "figure 3"),
    (("sent140",), 0.3, 0.0001, 0.1, "figure 3"),
    (("shakespeare",), 0.8, 0.08, 0.5, "figure 3"),
)
_ALL = tuple(dataset for datasets, *_ in _RATES for dataset in datasets)
_SERVER_MOMENTUM = {"server_momentum": 0.5}

RECIPES = (
    Recipe({"clients_per_round": 10}, source="Implementation", datasets=_ALL),
    Recipe(
        {"epochs": 20, "batch_size": 10},
        source="Decision: FedProx's (Li et al., MLSys 2020, section 5), whose data these are",
        datasets=_ALL,
    ),
    Recipe({"epochs": 5}, source="Implementation", datasets=_ALL, algorithms=("fed_nova",)),
    Recipe(
        {"client_momentum": 0.5, **_SERVER_MOMENTUM},
        source="Decision: those of most of its data sets, for all that it does not name",
        algorithms=_FED_FA,
    ),
    *(
        Recipe({"learning_rate": rate}, source="Implementation", datasets=datasets)
        for datasets, rate, *_ in _RATES
    ),
    *(
        Recipe(
            {"learning_rate": rate, "client_momentum": momentum, **_SERVER_MOMENTUM},
            source=f"Implementation; {figure}",
            datasets=datasets,
            algorithms=_FED_FA,
        )
        for datasets, _, rate, momentum, figure in _RATES
    ),
    *(
        Recipe(
            {"proximal_strength": strength},
            source="FedProx, section 5: its best value",
            datasets=(dataset,),
            algorithms=("fed_prox",),
        )
        for dataset, strength in (("sent140", 0.01), ("shakespeare", 0.001))
    ),
)
