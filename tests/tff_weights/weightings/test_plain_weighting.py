"""Tests of `tff_weights.weightings.plain`."""

import numpy as np
import pytest
from weighing import weights_of

from tff_weights import num_examples_weighting, uniform_weighting
from tff_weights.weightings.plain import plain_weighting


@pytest.mark.parametrize("weighting", [num_examples_weighting(), plain_weighting("num_examples")])
@pytest.mark.parametrize(
    ("counts", "expected"), [([10, 30, 0], [1 / 4, 3 / 4, 0]), ([7], [1]), ([0, 0], [0.5, 0.5])]
)
def test_shares_of_the_examples_by_hand(weighting, counts, expected):
    np.testing.assert_allclose(weights_of(weighting, num_examples=counts), expected)


@pytest.mark.parametrize("weighting", [uniform_weighting(), plain_weighting("uniform")])
@pytest.mark.parametrize("counts", [[10, 30, 0], [7], [0, 0]])
def test_uniform_does_not_look_at_the_numbers(weighting, counts):
    weights = weights_of(weighting, num_examples=counts)
    np.testing.assert_allclose(weights, [1 / len(counts)] * len(counts), rtol=1e-6)
