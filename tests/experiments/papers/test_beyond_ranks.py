"""Mean ranks over data sets, against Demšar's numbers and a restatement."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.declaration import Metric
from experiments.papers.beyond.ranks import rank
from experiments.reporting.comparison import Cell, Table

_METRIC = Metric("test_average", "average %")
_LOSS = Metric("test_loss", "loss", smaller_is_better=True)


def _table(place, values, metric=_METRIC):
    """A method per set of values by seed: A, B, ..."""
    dataset = f"data {place}"
    cells = (Cell(dataset, name, metric, None, each) for name, each in zip("ABCDEFGH", values))
    return Table(dataset, None, (metric,), tuple(cells))


def _tables(rows, metric=_METRIC):
    """A table per row and a method per column; nan for one that was not run."""
    return [
        _table(place, [{} if math.isnan(value) else {1: value} for value in row], metric)
        for place, row in enumerate(rows)
    ]


def test_demsars_critical_difference():
    """Four methods on 14 data sets: 2.569 √(4 · 5 / (6 · 14)) = 1.25 (section 3.2.2)."""
    ranking = rank(_tables(np.random.default_rng(0).normal(size=(14, 4))), _METRIC)
    assert ranking.num_datasets == 14
    assert ranking.critical_difference == pytest.approx(1.25, abs=0.005)


def test_ranks_by_hand():
    """Three data sets; ties share their ranks: A 1, 1, 1.5, B 2, 3, 1.5, C 3, 2, 3."""
    ranking = rank(_tables([[9, 8, 7], [9, 7, 8], [9, 9, 8]]), _METRIC)
    assert [*ranking.mean_ranks.index] == ["A", "B", "C"]
    np.testing.assert_allclose(ranking.mean_ranks, [3.5 / 3, 6.5 / 3, 8 / 3])
    reversed_ranking = rank(_tables([[9, 8, 7], [9, 7, 8], [9, 9, 8]], _LOSS), _LOSS)
    np.testing.assert_allclose(reversed_ranking.mean_ranks["A"], 8.5 / 3)


def test_groups_are_those_within_the_critical_difference():
    """Mean ranks 1 to 4 on 40 data sets; the difference is 2.569 √(20 / 240) = 0.74."""
    assert rank(_tables([[4, 3, 2, 1]] * 40), _METRIC).groups == []
    # B and C change places: both have rank 2.5.
    alike = rank(_tables([[4, 3, 2, 1], [4, 2, 3, 1]] * 20), _METRIC)
    assert [set(group) for group in alike.groups] == [{"B", "C"}]
    # On two data sets the critical difference is 3.3: no two methods differ.
    assert rank(_tables([[4, 3, 2, 1]] * 2), _METRIC).groups == [("A", "B", "C", "D")]


def test_methods_are_compared_by_the_seeds_that_all_of_them_have():
    """Seed 2 is kind, and C has it alone: of seed 1, which all have, C is the last one.

    On the last of the data sets each method has a seed of its own, and on another B was not run.
    """
    of_all = ({1: 3.0}, {1: 2.0}, {1: 1.0, 2: 9.0})
    tables = [
        _table(place, values)
        for place, values in enumerate(
            (of_all, of_all, (of_all[0], {}, of_all[2]), ({10: 1.0}, {11: 1.0}, {12: 1.0}))
        )
    ]
    ranking = rank(tables, _METRIC)
    assert ranking.num_datasets == 2
    assert dict(ranking.mean_ranks) == {"A": 1.0, "B": 2.0, "C": 3.0}


def test_all_equal_has_no_p_value():
    ranking = rank(_tables([[1, 1, 1]] * 3), _METRIC)
    assert math.isnan(ranking.p_value)
    assert ranking.groups == [("A", "B", "C")]


@pytest.mark.parametrize("values", [[[1, 2]] * 5, [[1, 2, 3]], [[math.nan] * 3] * 3])
def test_too_little_to_rank(values):
    assert rank(_tables(values), _METRIC) is None
