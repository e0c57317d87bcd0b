"""FedFa: weights by training accuracy and participation, and momentum on both sides."""

from __future__ import annotations

import pathlib

from experiments.declaration import Headline, Paper
from experiments.papers.common import of_library
from experiments.papers.fed_fa.claims import CLAIMS
from experiments.papers.fed_fa.figures import FIGURES
from experiments.papers.fed_fa.first import FIRST
from experiments.papers.fed_fa.readings import READINGS, TABLE_2_READINGS
from experiments.papers.fed_fa.recipe import RECIPES
from experiments.papers.fed_fa.tables import TABLES
from tff_weights.protocol import Protocol

PAPER = Paper(
    name="fedfa",
    title="FedFa",
    citation="Huang et al., Fairness and accuracy in horizontal federated learning, Information "
    "Sciences 2022",
    algorithms={
        # Section 4.5 and Algorithm 2: w_i, its accuracy and its participations.
        "fed_fa": of_library("fed_fa", Protocol(scalars_up=2), color="#3b2a00", marker="p"),
        "fed_fa_mo": of_library("fed_fa_mo", module="fed_fa", color="#6b7280", marker="h"),
    },
    recipes=RECIPES,
    artifacts=(FIRST, *TABLES, *FIGURES, TABLE_2_READINGS),
    claims=CLAIMS,
    readings=READINGS,
    headline=Headline(
        claim=(
            "Weighing up clients with a low accuracy or many participations, with momentum on "
            "both sides, is fairer and better than FedAvg, FedProx and q-Fair."
        ),
        holds=(
            "On heterogeneous synthetic data FedFa serves clients far better than FedAvg, above "
            "all the worst served ones."
        ),
        fails=(
            "Its weights add little to equal weights. Its lead over FedProx is one of speed. On "
            "IID data it is much further behind FedAvg than in the paper."
        ),
        decides=(
            "Equal weights instead of weights by examples, then the two momenta. For q-Fair, the "
            "number of rounds."
        ),
    ),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
