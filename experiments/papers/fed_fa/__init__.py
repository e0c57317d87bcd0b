"""FedFa: weights by training accuracy and participation, and momentum on both sides."""

from __future__ import annotations

from experiments.declaration import Algorithm, Paper
from experiments.papers.fed_fa.artifacts import ARTIFACTS
from experiments.papers.fed_fa.claims import CLAIMS
from experiments.papers.fed_fa.findings import FINDINGS, HEADLINE
from experiments.papers.fed_fa.page_tables import PAGE_TABLES
from experiments.papers.fed_fa.recipe import RECIPES
from tff_weights.protocol import Protocol

PAPER = Paper(
    name="fedfa",
    title="FedFa",
    citation="Huang et al., Fairness and accuracy in horizontal federated learning, Information "
    "Sciences 2022",
    algorithms={
        # Section 4.5 and Algorithm 2: w_i, its accuracy and its participations.
        "fed_fa": Algorithm("tff_weights.algorithms.fed_fa:build_fed_fa", Protocol(scalars_up=2)),
        "fed_fa_mo": Algorithm("tff_weights.algorithms.fed_fa:build_fed_fa_mo"),
    },
    recipes=RECIPES,
    artifacts=ARTIFACTS,
    claims=CLAIMS,
    headline=HEADLINE,
    findings=FINDINGS,
    page_tables=PAGE_TABLES,
)
