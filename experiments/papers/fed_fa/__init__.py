"""FedFa: weights by training accuracy and participation, and momentum on both sides."""

from __future__ import annotations

from experiments.declaration import Recipe
from experiments.papers.common import of_library
from experiments.papers.fed_fa.figures import DIRICHLET, FIGURES
from experiments.papers.fed_fa.tables import READINGS, TABLE_2_READINGS, TABLES
from experiments.papers.folder import paper
from tff_weights.protocol import Protocol

_FED_FA = ("fed_fa", "fed_fa_mo")

_LESS_HETEROGENEOUS = ("synthetic_iid", "synthetic_0_0")
# Section 4.1 does not say which of its two pairs of momenta figure 6's Dirichlet sets have. LEAF's
# own three data sets are in no paper. Decision: those of the more heterogeneous sets. `leaf` reads
# anybody's JSON and has no default rate: the rate of another data set may be far off.
_MORE_HETEROGENEOUS = (
    *("synthetic_0.5_0.5", "synthetic_1_1"),
    *DIRICHLET,
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

PAPER = paper(
    "fedfa",
    __file__,
    title="FedFa",
    citation="Huang et al., Fairness and accuracy in horizontal federated learning, Information "
    "Sciences 2022",
    algorithms={
        # Section 4.5 and Algorithm 2: w_i, its accuracy and its participations.
        "fed_fa": of_library("fed_fa", Protocol(scalars_up=2), color="#3b2a00", marker="p"),
        "fed_fa_mo": of_library("fed_fa_mo", module="fed_fa", color="#6b7280", marker="h"),
    },
    # Section 4.1 unless another is named. It does not give FedProx's strengths; these are the best
    # ones of FedProx's own paper.
    recipes=(
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
    ),
    artifacts=(*TABLES, *FIGURES, TABLE_2_READINGS),
    readings=READINGS,
)
