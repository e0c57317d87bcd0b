"""FedCav: clients whose loss is high count more, and an audit takes attacked rounds back."""

from __future__ import annotations

from experiments.declaration import Algorithm, Paper
from experiments.papers.fed_cav.artifacts import ARTIFACTS
from experiments.papers.fed_cav.claims import CLAIMS
from experiments.papers.fed_cav.findings import FINDINGS, HEADLINE
from experiments.papers.fed_cav.page_tables import PAGE_TABLES
from experiments.papers.fed_cav.recipe import RECIPES
from tff_weights.protocol import Protocol

PAPER = Paper(
    name="fedcav",
    title="FedCav",
    citation="Zeng et al., FedCav: Contribution-aware Model Aggregation on Distributed "
    "Heterogeneous Data for Federated Learning, ICPP 2021",
    # The loss of the received model goes up.
    algorithms={
        "fed_cav": Algorithm(
            "tff_weights.algorithms.fed_cav:build_fed_cav", Protocol(scalars_up=1)
        ),
        "fed_cav_lied_to": Algorithm(
            "experiments.papers.fed_cav.misreporting:build_fed_cav_misreporting",
            Protocol(scalars_up=1),
            attacked="fed_cav",
        ),
    },
    recipes=RECIPES,
    artifacts=ARTIFACTS,
    claims=CLAIMS,
    headline=HEADLINE,
    findings=FINDINGS,
    page_tables=PAGE_TABLES,
)
