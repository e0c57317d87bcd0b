from __future__ import annotations

import pytest
from small_cases import small_workload

from benchmarks.cases import CASES
from benchmarks.measuring import measure


@pytest.mark.parametrize(
    "name",
    [
        "cohort/10",
        pytest.param("clients/30", marks=pytest.mark.long),
        "clients/100000",
        pytest.param("model/1000", marks=pytest.mark.long),  # The program's own test has it.
    ],
)
def test_both_run_and_agree_where_they_should(name):
    measurement = measure(CASES[name], small_workload(name), repeats=1)
    assert measurement.reference is not None
    if CASES[name].tolerance is not None:
        assert measurement.difference <= CASES[name].tolerance


def test_sizes_are_those_of_what_is_measured():
    case = CASES["cohort/300"]
    assert case.size(case.workload.resized(clients=7)) == 7
    assert CASES["clients/100000"].workload.clients == 10
