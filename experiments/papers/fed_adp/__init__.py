"""FedAdp: clients whose updates point along the mean update count more."""

from __future__ import annotations

import pathlib

from experiments.declaration import Headline, Paper
from experiments.papers.common import of_library
from experiments.papers.fed_adp.artifacts import ARTIFACTS
from experiments.papers.fed_adp.claims import CLAIMS
from experiments.papers.fed_adp.readings import READINGS, TABLE_1_READINGS
from experiments.papers.fed_adp.recipe import RECIPES

PAPER = Paper(
    name="fedadp",
    title="FedAdp",
    citation="Wu and Wang, Fast-Convergent Federated Learning with Adaptive Weighting, IEEE TCCN "
    "2021",
    # The paper's server computes the angles from the updates, so that nothing else is sent.
    algorithms={"fed_adp": of_library("fed_adp", color="#ff5aaf", marker="<")},
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, TABLE_1_READINGS),
    claims=CLAIMS,
    readings=READINGS,
    headline=Headline(
        claim=(
            "Weighing nodes by their gradient's angle to the mean gradient takes as few as half "
            "of FedAvg's rounds."
        ),
        holds=(
            "The angle separates nodes of one class from IID nodes. FedAdp leads FedAvg on all "
            "mixes of nodes."
        ),
        fails=(
            "With pixels divided by 255 both methods need more rounds to the paper's targets, and "
            "often miss them."
        ),
        decides=(
            "How pixels are scaled, and which classes the nodes draw. The paper leaves both open."
        ),
    ),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
