"""Tests of `tff_weights.weightings.wei_avg`."""

import numpy as np
import pytest
from weighing import weights_of

from tff_weights import wei_avg_weighting


def _weights(diversities, **arguments):
    return weights_of(wei_avg_weighting(**arguments), projection_on_mean=diversities)


@pytest.mark.parametrize("value", [-2.0, 0.0, 1e-30])
@pytest.mark.parametrize("shift", [0.1, 1e-50])
def test_values_that_are_all_equal_are_the_simple_mean(value, shift):
    """Also where 32 bits do not hold the shift: 0 / 0 would be no weight."""
    for exponent in (0.0, 1.0, 10.0):
        weights = _weights([value] * 3, exponent=exponent, shift=shift)
        np.testing.assert_allclose(weights, [1 / 3] * 3, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
@pytest.mark.parametrize("exponent", [1.0, 10.0])
def test_neither_scale_nor_origin_matter(scale, exponent):
    values = np.array([-1.0, 0.5, 2.0, 2.5])
    expected = _weights(values, exponent=exponent)
    np.testing.assert_allclose(_weights(scale * values, exponent=exponent), expected, rtol=1e-4)
    np.testing.assert_allclose(_weights(values + 4, exponent=exponent), expected, rtol=1e-4)


@pytest.mark.parametrize("exponent", [1e-4, 1e6])
@pytest.mark.parametrize("shift", [1e-6, 10.0])
def test_no_power_leaves_the_numbers_and_the_most_diverse_weighs_most(exponent, shift):
    """1.1^1000 and 11^100 are no float32."""
    weights = _weights([0.0, 0.3, 1.0], exponent=exponent, shift=shift)
    assert weights.sum() == pytest.approx(1, rel=1e-5)
    assert np.all(np.diff(weights) >= 0) and weights[2] > weights[1]
