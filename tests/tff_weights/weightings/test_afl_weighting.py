"""Tests of `tff_weights.weightings.afl`."""

from __future__ import annotations

import numpy as np
import pytest
from weighing import weigh

from tff_weights import afl_weighting


def _weigh(weighting, losses, index=None, history=None):
    index = range(len(losses)) if index is None else index
    return weigh(weighting, history, client_index=[*index], loss_before=losses)


def test_three_rounds_by_hand():
    """λ + 0.1 F is (13, 16, 28)/30, and sums to 1.9: 0.3 is taken off each.

    The second round weighs by that. With 10 more for the third client it is the only one left;
    the others, whose λ is 0, then weigh equally where they are alone.
    """
    weighting = afl_weighting(num_clients=3, mixture_rate=0.1)
    first = _weigh(weighting, [1, 2, 6])
    np.testing.assert_allclose(first.weights, [1 / 3] * 3)
    mixture = np.array([4, 7, 19]) / 30
    np.testing.assert_allclose(first.history["mixture"], mixture, rtol=1e-6)
    second = _weigh(weighting, [0, 0, 100], history=first.history)
    np.testing.assert_allclose(second.weights, mixture, rtol=1e-6)
    np.testing.assert_allclose(second.history["mixture"], [0, 0, 1], atol=1e-6)
    third = _weigh(weighting, [1, 1], [1, 0], second.history)
    np.testing.assert_allclose(third.weights, [1 / 2] * 2)


def test_a_cohorts_shares_sum_to_one_and_who_is_absent_only_loses():
    """λ of the present rises by (0.1, 0.2), and 0.1 is taken off all three."""
    weighed = _weigh(afl_weighting(num_clients=3, mixture_rate=0.1), [2, 1], [2, 0])
    np.testing.assert_allclose(weighed.weights, [1 / 2] * 2)
    expected = [1 / 3, 1 / 3 - 0.1, 1 / 3 + 0.1]
    np.testing.assert_allclose(weighed.history["mixture"], expected, rtol=1e-5)


@pytest.mark.parametrize("loss", [1e18, 3e38])
def test_a_huge_loss_has_the_whole_mixture(loss):
    """Though ten times the second one is no float32."""
    weighting = afl_weighting(num_clients=3, mixture_rate=10.0)
    np.testing.assert_array_equal(_weigh(weighting, [loss, 1, 2]).history["mixture"], [1, 0, 0])
