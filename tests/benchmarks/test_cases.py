from __future__ import annotations

import pytest

from benchmarks.cases import CASES, DIMENSIONS, GROUPS, chosen


def test_names_of_groups_and_cases():
    assert chosen(["builders/mlr"]) == ["builders/mlr"]
    assert chosen(["limits"]) == ["limits/cnn", "limits/shakespeare", "limits/sent140"]
    assert chosen(["build/mlr", "build", "build/mlr"]) == ["build/mlr"]
    assert chosen(["all"]) == list(CASES)
    assert chosen(["evaluation", "build"]) == ["evaluation/mnist", "build/mlr"]


@pytest.mark.parametrize("name", ["", "lim", "mlr", "limits/", "limits/mlr"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ValueError, match=f"there is no case '{name}'; there are the groups"):
        chosen([name])


def test_nothing_is_refused():
    with pytest.raises(ValueError, match="no case is named"):
        chosen([])


def test_what_the_groups_have():
    assert set(GROUPS["builders"]) == {"mlr", "cnn", "shakespeare", "sent140"}
    assert list(GROUPS["cohort"]) == ["10", "30", "100", "300"]
    assert list(GROUPS["clients"]) == ["30", "1000", "100000"]
    assert list(GROUPS["model"]) == ["1000", "10000", "100000", "1000000", "10000000"]


@pytest.mark.parametrize("group", list(GROUPS))
def test_the_cases_of_a_dimension_and_no_others_have_a_size(group):
    for name, case in GROUPS[group].items():
        size = case.size(case.workload) if case.size else None
        assert size == (int(name) if group in DIMENSIONS else None)
