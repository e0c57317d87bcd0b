from __future__ import annotations

import pytest
from small_cases import NETWORKS, small_workload

import tff_weights
from experiments.benchmarks import comparisons
from experiments.benchmarks.cases import CASES, chosen
from experiments.benchmarks.measuring import measure
from experiments.papers import catalogue


def _marked(name):
    """Networks take seconds to build, however small the round."""
    is_large = name.split("/")[1] in (*NETWORKS, "scaffold_cnn")
    return pytest.param(name, marks=pytest.mark.long if is_large else ())


@pytest.mark.parametrize(
    "name", [_marked(name) for name in chosen(["builders", "limits", "algorithms"])]
)
def test_both_run_and_agree_where_they_should(name):
    measurement = measure(CASES[name], small_workload(name), repeats=1)
    assert measurement.reference is not None
    if CASES[name].tolerance is None:
        assert measurement.difference is None
    else:
        assert measurement.difference <= CASES[name].tolerance


def test_every_algorithm_is_compared():
    compared = {name for name, _ in comparisons.algorithms()}
    for name, each in catalogue.algorithms().items():
        assert any(case.startswith(each.attacked or name) for case in compared)
    assert tff_weights.build_fed_avg is catalogue.algorithms()["fed_avg"].build
