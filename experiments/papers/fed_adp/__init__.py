"""FedAdp: clients whose updates point along the mean update count more."""

from __future__ import annotations

import pathlib

from experiments.declaration import Paper
from experiments.papers.common import of_library, read_claims, read_headline
from experiments.papers.fed_adp.artifacts import ARTIFACTS, BEST
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
    claims=read_claims("fedadp", __file__, best_accuracy=BEST),
    readings=READINGS,
    headline=read_headline(__file__),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
