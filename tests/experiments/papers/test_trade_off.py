from __future__ import annotations

from experiments.declaration import Metric
from experiments.papers.beyond.trade_off import not_beaten, pareto_front
from experiments.reporting.comparison import Cell, Table

_METRIC = Metric("test_average", "average %")


def test_the_front_is_what_nothing_else_is_better_than_by_both():
    """C is below B in both; D is as far right as B and lower; A and E are equal, and both stay."""
    points = {"A": (1.0, 9.0), "B": (5.0, 5.0), "C": (4.0, 4.0), "D": (5.0, 1.0), "E": (1.0, 9.0)}
    assert pareto_front(points) == ["A", "E", "B"]


def test_a_method_is_beaten_where_another_ones_lead_is_significant():
    """On d B leads A by 10 ± 1 points with every seed, on e by 0 to 4 points, on f not at all."""
    values = {"d": ([0] * 5, [9, 10, 11, 10, 10]), "e": ([0] * 5, [0, 9, 0, 9, -9])}
    values["f"] = ([5] * 5, [5, 5, 5, 5, 5])
    tables = [
        Table(
            dataset,
            None,
            (_METRIC,),
            tuple(
                Cell(dataset, method, _METRIC, None, dict(enumerate(map(float, numbers))))
                for method, numbers in zip("AB", of_both)
            ),
        )
        for dataset, of_both in values.items()
    ]
    assert not_beaten(tables, _METRIC, ("A", "B")) == {"A": 2, "B": 3}
