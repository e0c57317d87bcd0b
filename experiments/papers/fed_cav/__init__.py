"""FedCav: clients whose loss is high count more, and an audit takes attacked rounds back."""

from __future__ import annotations

import pathlib

from experiments.declaration import Algorithm, Headline, Paper
from experiments.papers.common import of_library
from experiments.papers.fed_cav.artifacts import ARTIFACTS
from experiments.papers.fed_cav.claims import CLAIMS
from experiments.papers.fed_cav.readings import LOG_READINGS, READINGS
from experiments.papers.fed_cav.recipe import RECIPES
from tff_weights.protocol import Protocol

PAPER = Paper(
    name="fedcav",
    title="FedCav",
    citation="Zeng et al., FedCav: Contribution-aware Model Aggregation on Distributed "
    "Heterogeneous Data for Federated Learning, ICPP 2021",
    # The loss of the received model goes up.
    algorithms={
        "fed_cav": of_library("fed_cav", Protocol(scalars_up=1), color="#ffc33b", marker=">"),
        "fed_cav_misreporting": Algorithm(
            "experiments.papers.fed_cav.misreporting:build_fed_cav_misreporting",
            Protocol(scalars_up=1),
            attacked="fed_cav",
        ),
    },
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, LOG_READINGS),
    claims=CLAIMS,
    readings=READINGS,
    headline=Headline(
        claim=(
            "Weighing clients by a softmax of their losses takes fewer rounds than FedAvg and "
            "FedProx. An audit of the losses undoes an attack."
        ),
        holds=(
            "On synthetic(1, 1) the audit finds a replaced model in the next round and restores "
            "the model before it."
        ),
        fails=(
            "With its authors' logged settings FedCav is slower than FedAvg. On their task the "
            "audit raises false alarms, and an attacker who knows of it disarms it."
        ),
        decides=(
            "Which losses are weighed. A softmax of clipped sums drops many clients; one of "
            "clipped means is nearly FedAvg."
        ),
    ),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
