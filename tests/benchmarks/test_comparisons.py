from __future__ import annotations

import pytest
from small_cases import small_workload

import tff_weights
from benchmarks import comparisons
from benchmarks.cases import CASES, chosen
from benchmarks.measuring import measure
from experiments.papers import catalogue

_BY_DEFAULT = (
    "builders/mlr",
    "algorithms/fed_fa",
    "algorithms/scaffold",
)


def _marked(name):
    """Each takes seconds to build, twice, however small the round."""
    return pytest.param(name, marks=() if name in _BY_DEFAULT else pytest.mark.long)


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
