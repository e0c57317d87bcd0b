"""Tests of `tff_weights.weightings.fed_mgda`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

from tff_weights import fed_mgda_weighting


def _weights(updates, counts=(1, 1), **arguments):
    updates = np.array(updates, float)
    return weights_of(
        fed_mgda_weighting(**arguments), num_examples=[*counts], gram_matrix=updates @ updates.T
    )


_RIGHT_ANGLE = [(3, 0), (0, 1)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        # Of unit vectors at a right angle the mean with equal shares is the shortest.
        ({"epsilon": 1.0}, [1 / 6, 1 / 2]),
        ({"epsilon": 1.0, "step_size": 4.0}, [4 / 6, 4 / 2]),
        # Not normalised, 9 λ² + (1 − λ)² is least at 1/10, and 0.4 the least that is allowed.
        ({"epsilon": 1.0, "normalize": False}, [0.1, 0.9]),
        ({"epsilon": 0.1, "normalize": False}, [0.4, 0.6]),
        ({"epsilon": 0.0, "normalize": False}, [0.5, 0.5]),
    ],
)
def test_a_right_angle_by_hand(arguments, expected):
    np.testing.assert_allclose(_weights(_RIGHT_ANGLE, **arguments), expected, rtol=1e-5)


def test_the_prior_is_by_size_or_uniform():
    """Without room for more, shares of 1/4 and 3/4 of vectors of length 3 and 1."""
    by_size = _weights(_RIGHT_ANGLE, (1, 3), epsilon=0)
    np.testing.assert_allclose(by_size, [1 / 12, 3 / 4], rtol=1e-5)
    uniform = _weights(_RIGHT_ANGLE, (1, 3), epsilon=0, prior="uniform")
    np.testing.assert_allclose(uniform, [1 / 6, 1 / 2], rtol=1e-5)


def test_an_update_of_length_zero_has_no_weight():
    """It is the shortest of all: as much as is allowed goes to it, and the rest to the other."""
    np.testing.assert_allclose(_weights([(0, 0), (0, 2)], epsilon=0.1), [0, 0.2], rtol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 8), st.integers(0, 2**31), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_against_numpy(n, seed, epsilon):
    rng = np.random.default_rng(seed)
    updates, counts = rng.normal(0.2, size=(n, 4)), rng.integers(1, 9, size=n)
    expected = reference_weights.fed_mgda(updates, counts / counts.sum(), epsilon=epsilon)
    found = _weights(updates, counts, epsilon=epsilon) @ updates
    np.testing.assert_allclose(found, expected, atol=1e-3)
