"""FedFa: weights by training accuracy and participation, and momentum on both sides."""

from __future__ import annotations

from experiments.papers.common import of_library
from experiments.papers.fed_fa.figures import FIGURES
from experiments.papers.fed_fa.readings import READINGS, TABLE_2_READINGS
from experiments.papers.fed_fa.recipe import RECIPES
from experiments.papers.fed_fa.tables import TABLES
from experiments.papers.folder import paper
from tff_weights.protocol import Protocol

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
    recipes=RECIPES,
    artifacts=(*TABLES, *FIGURES, TABLE_2_READINGS),
    readings=READINGS,
)
