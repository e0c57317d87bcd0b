"""FedAdp: clients whose updates point along the mean update count more."""

from __future__ import annotations

from experiments.papers.common import of_library
from experiments.papers.fed_adp.artifacts import ARTIFACTS
from experiments.papers.fed_adp.readings import MAIN_CASE_READINGS, READINGS, TABLE_1_READINGS
from experiments.papers.fed_adp.recipe import RECIPES
from experiments.papers.folder import paper

PAPER = paper(
    "fedadp",
    __file__,
    title="FedAdp",
    citation="Wu and Wang, Fast-Convergent Federated Learning with Adaptive Weighting, IEEE TCCN "
    "2021",
    # The paper's server computes the angles from the updates, so clients send nothing else.
    algorithms={"fed_adp": of_library("fed_adp", color="#ff5aaf", marker="<")},
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, TABLE_1_READINGS, MAIN_CASE_READINGS),
    readings=READINGS,
)
