"""FedAdp: clients whose updates point along the mean update count more."""

from __future__ import annotations

import pathlib

from experiments.declaration import Headline, Paper
from experiments.papers.common import of_library
from experiments.papers.fed_adp.artifacts import ARTIFACTS
from experiments.papers.fed_adp.claims import CLAIMS
from experiments.papers.fed_adp.readings import MAIN_CASE_READINGS, READINGS, TABLE_1_READINGS
from experiments.papers.fed_adp.recipe import RECIPES

PAPER = Paper(
    name="fedadp",
    title="FedAdp",
    citation="Wu and Wang, Fast-Convergent Federated Learning with Adaptive Weighting, IEEE TCCN "
    "2021",
    # The paper's server computes the angles from the updates, so that nothing else is sent.
    algorithms={"fed_adp": of_library("fed_adp", color="#ff5aaf", marker="<")},
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, TABLE_1_READINGS, MAIN_CASE_READINGS),
    claims=CLAIMS,
    readings=READINGS,
    headline=Headline(
        claim="Weights by a gradient's angle to the mean gradient take as few as half of FedAvg's "
        "rounds.",
        shown="That FedAdp is ahead with logistic regression, on each mix of nodes: "
        '{{ verdicts("fedadp/ahead_mlr_*") }}. That it takes fewer rounds with the CNN, whose '
        'pixels the paper leaves open: {{ verdicts("fedadp/faster_*mnist_*") }}.',
    ),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
