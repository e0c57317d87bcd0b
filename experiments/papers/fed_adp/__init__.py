"""FedAdp: clients whose updates point along the mean update count more."""

from __future__ import annotations

from experiments.declaration import Algorithm, Paper
from experiments.papers.fed_adp.artifacts import ARTIFACTS
from experiments.papers.fed_adp.claims import CLAIMS
from experiments.papers.fed_adp.findings import FINDINGS, HEADLINE
from experiments.papers.fed_adp.page_tables import PAGE_TABLES
from experiments.papers.fed_adp.recipe import RECIPES

PAPER = Paper(
    name="fedadp",
    title="FedAdp",
    citation="Wu and Wang, Fast-Convergent Federated Learning with Adaptive Weighting, IEEE TCCN "
    "2021",
    # The paper's server computes the angles from the updates, so that nothing else is sent.
    algorithms={"fed_adp": Algorithm("tff_weights.algorithms.fed_adp:build_fed_adp")},
    recipes=RECIPES,
    artifacts=ARTIFACTS,
    claims=CLAIMS,
    headline=HEADLINE,
    findings=FINDINGS,
    page_tables=PAGE_TABLES,
)
