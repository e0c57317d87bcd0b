"""Tests of `tff_weights.weightings.aagg_ff_s`, `aagg_ff_d` and `responses`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from weighing import weigh

from tff_weights import aagg_ff_d_weighting, aagg_ff_s_weighting
from tff_weights.weightings.responses import DISTRIBUTIONS, bounded_responses

# Losses of 1/2 and 3/2 times their mean, whose responses by Fréchet are e^{−2} and e^{−2/3}.
_LOSSES = [1.0, 3.0]
_RESPONSES = np.exp([-2, -2 / 3])


def test_aagg_ff_s_by_hand():
    """With N = 2 let p be (1/2 + s, 1/2 − s), and D the difference of the gradients.

    The regret is D s + 4 s² + D² s² / 4 and a constant: it is least at s = −D / (8 + D²/2).
    """
    weighting = aagg_ff_s_weighting(num_clients=2, distribution="frechet")
    weighed = weigh(weighting, client_index=[0, 1], loss_before=_LOSSES)
    r = _RESPONSES / 2
    d = (r[1] - r[0]) / (1 + r.mean())
    s = -d / (8 + d**2 / 2)
    np.testing.assert_allclose(weighed.weights, [0.5 + s, 0.5 - s], rtol=1e-5)
    assert float(weighed.weights[0]) == pytest.approx(0.4797, abs=1e-4)
    np.testing.assert_allclose(weighed.history["decision"], weighed.weights)


def test_aagg_ff_d_by_hand():
    """With N = 2 and C = 1 all responses are known: g̃ differ by (r_2 − r_1) / (1 + r̄).

    The rate is √(ln 2) / (3 √2), and the weights' ratio the exponential of the product.
    """
    weighting = aagg_ff_d_weighting(num_clients=2, distribution="frechet")
    weighed = weigh(weighting, client_index=[1, 0], loss_before=_LOSSES[::-1])
    difference = (_RESPONSES[1] - _RESPONSES[0]) / (1 + _RESPONSES.mean())
    ratio = math.exp(difference * math.sqrt(math.log(2)) / (3 * math.sqrt(2)))
    np.testing.assert_allclose(weighed.weights, [ratio / (1 + ratio), 1 / (1 + ratio)], rtol=1e-5)
    assert ratio == pytest.approx(1.0576, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "at_one"),
    [
        ("weibull", 1 - 1 / math.e),
        ("exponential", 1 - 1 / math.e),
        ("frechet", 1 / math.e),
        ("normal", 0.5),
        ("gumbel", 1 / math.e),
        ("logistic", 0.5),
    ],
)
def test_distributions_rise_from_the_mean_by_hand_to_the_most(name, at_one):
    """At the mean, 1 of scale and location 1; losses of 0 are like any equal ones."""
    assert set(DISTRIBUTIONS) >= {name}
    equal = bounded_responses(tf.constant([2.0, 2.0]), name, most=0.5)
    np.testing.assert_allclose(equal, [at_one / 2] * 2, rtol=1e-5)
    np.testing.assert_allclose(bounded_responses(tf.zeros(2), name, most=0.5), equal, rtol=1e-5)
    responses = bounded_responses(tf.constant([0.0, 0.5, 1.0, 100.0]), name, most=1.0).numpy()
    assert np.all(np.diff(responses) > 0) and responses[0] >= 0 and responses[-1] <= 1
