from __future__ import annotations

import pytest
from small_cases import small_workload

from benchmarks.cases import CASES
from benchmarks.measuring import measure


def test_an_evaluation_is_timed_alone():
    measurement = measure(CASES["evaluation/mnist"], small_workload("evaluation/mnist"), repeats=2)
    assert len(measurement.subject.rounds) == 2
    assert measurement.reference is None
    assert measurement.difference is None


def test_an_evaluation_is_of_a_thousand_clients():
    workload = CASES["evaluation/mnist"].workload
    assert (workload.clients, workload.clients * workload.examples) == (1_000, 69_000)


@pytest.mark.long
def test_both_are_built_and_agree():
    measurement = measure(CASES["build/mlr"], small_workload("build/mlr"), repeats=1)
    assert measurement.difference <= CASES["build/mlr"].tolerance
