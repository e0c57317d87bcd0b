"""Tests of `tff_weights.evaluation.fairness`."""

import dataclasses
import math

import pytest

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


def test_clients_without_examples_or_a_number_do_not_count():
    with_them = fairness_statistics([math.nan, 0.2, 0.0, 0.6, math.nan], [0, 3, 0, 1, 9])
    assert with_them == fairness_statistics([0.2, 0.6], [3, 1])
    assert with_them.num_clients == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 1.1],), "accuracies.*1.1"),
        (([0.5, -0.1],), "accuracies.*-0.1"),
        (([0.5, math.nan], [0, 1]), "accuracies"),
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
