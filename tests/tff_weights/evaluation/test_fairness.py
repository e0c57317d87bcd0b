"""Tests of `tff_weights.evaluation.fairness`."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import fairness_statistics


def test_ten_clients_by_hand():
    """Accuracies 0.1, 0.2, …, 1.0: two are the worst and two the best 20 %.

    In percent: average 55, worst (10 + 20)/2 = 15, best 95; Σ a² = 100 · 385 = 38500, so the
    variance is 3850 − 55² = 825 and Jain's index 550² / (10 · 38500) = 0.7857143. The 10th
    percentile lies at place 0.1 · 9 = 0.9 between 10 and 20.
    """
    statistics = fairness_statistics([0.5, 0.1, 0.9, 0.3, 0.7, 1.0, 0.2, 0.8, 0.4, 0.6])
    assert dataclasses.asdict(statistics) == pytest.approx(
        {
            "average": 55,
            "worst_20": 15,
            "best_20": 95,
            "variance": 825,
            "standard_deviation": math.sqrt(825),
            "weighted_average": 55,
            "percentile_10": 19,
            "percentile_50": 55,
            "percentile_90": 91,
            "jain_index": 0.7857142857,
            "num_clients": 10,
        }
    )


@pytest.mark.parametrize("accuracy", [0.0, 0.4, 1.0])
def test_ties(accuracy):
    """All are alike: nothing varies, and Jain's index is 1 even if all are zero.

    It is 1/N where one of N clients has all.
    """
    assert fairness_statistics([0, 0, 0, 1]).jain_index == pytest.approx(1 / 4)
    statistics = fairness_statistics([accuracy] * 7)
    for field in ("average", "worst_20", "best_20", "percentile_10", "percentile_90"):
        assert getattr(statistics, field) == pytest.approx(100 * accuracy)
    assert statistics.variance == pytest.approx(0, abs=1e-12)
    assert statistics.jain_index == pytest.approx(1)


def test_clients_without_examples_do_not_count():
    """Whatever they hold, be it no number."""
    with_them = fairness_statistics([math.nan, 0.2, 0.0, 0.6], [0, 3, 0, 1])
    assert with_them == fairness_statistics([0.2, 0.6], [3, 1])
    assert with_them.num_clients == 2


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 100)), min_size=1, max_size=40).filter(
        lambda clients: any(count for _, count in clients)
    )
)
def test_against_numpy(clients):
    accuracies, counts = np.array(clients).T
    statistics = fairness_statistics(accuracies, counts)
    kept = 100 * accuracies[counts > 0]
    descending = np.sort(kept)[::-1]
    tail = max(1, len(kept) // 5)
    expected = {
        "average": kept.sum() / len(kept),
        "worst_20": descending[len(kept) - tail :].mean(),
        "best_20": descending[:tail].mean(),
        "variance": ((kept - kept.mean()) ** 2).mean(),
        "weighted_average": 100 * (accuracies * counts)[counts > 0].sum() / counts.sum(),
        "percentile_10": np.quantile(kept, 0.1),
        "percentile_50": np.median(kept),
        "percentile_90": np.quantile(kept, 0.9),
        "num_clients": len(kept),
    }
    assert {name: getattr(statistics, name) for name in expected} == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )
    assert statistics.standard_deviation**2 == pytest.approx(statistics.variance, abs=1e-9)
    assert 1 / len(kept) - 1e-9 <= statistics.jain_index <= 1 + 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 1.1],), "accuracies.*1.1"),
        (([0.5, -0.1],), "accuracies.*-0.1"),
        (([0.5, math.nan],), "accuracies"),
        (([0.5, 0.5], [1]), r"accuracies and num_examples.*\(2,\).*\(1,\)"),
        (([[0.5]],), r"accuracies.*\(1, 1\)"),
        (([0.5, 0.5], [0, 0]), "num_examples"),
        (([0.5, 0.5], [2, -7]), "num_examples.*-7"),
        (([],), "num_examples|accuracies"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fairness_statistics(*arguments)
