"""FedFa: weights by training accuracy and participation, and momentum on both sides."""

from __future__ import annotations

import pathlib

from experiments.declaration import Paper
from experiments.papers.common import of_library, read_claims, read_headline
from experiments.papers.fed_fa.figures import FIGURES
from experiments.papers.fed_fa.methods import FAIRNESS
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
    artifacts=(*TABLES, *FIGURES, TABLE_2_READINGS),
    claims=read_claims("fedfa", __file__, **{metric.key: metric for metric in FAIRNESS}),
    readings=READINGS,
    headline=read_headline(__file__),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
