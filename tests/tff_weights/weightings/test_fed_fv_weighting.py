"""Tests of `tff_weights.weightings.fed_fv`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

from tff_weights import fed_fv_weighting


def _weights(updates, losses, alpha):
    updates = np.array(updates, float)
    return weights_of(
        fed_fv_weighting(alpha=alpha), loss_before=losses, gram_matrix=updates @ updates.T
    )


@pytest.mark.parametrize(
    ("alpha", "losses", "expected"),
    [
        # g_1 = Δ_1 + Δ_2 / 2 = (1/2, 1/2) and g_2 = Δ_2 + Δ_1 = (0, 1), with the mean (1/4, 3/4).
        (0.0, [1, 2], [1, 0.75]),
        # The client with the larger loss keeps its update: the mean is (∓1/4, 3/4) or (3/4, 1/4).
        (0.5, [1, 2], [0.5, 0.75]),
        (0.5, [2, 1], [1, 0.5]),
    ],
)
def test_two_updates_by_hand(alpha, losses, expected):
    """Δ are (1, 0) and (−1, 1), with <Δ_1, Δ_2> = −1 and the mean (0, 1/2)."""
    updates = np.array([(1, 0), (-1, 1)])
    stretch = 0.5 / np.linalg.norm(expected @ updates)
    np.testing.assert_allclose(
        _weights(updates, losses, alpha), stretch * np.array(expected), rtol=1e-6
    )


def test_without_conflict_and_where_all_keep_their_updates_it_is_the_simple_mean():
    for updates, alpha in (([(1, 0), (1, 1), (0, 1)], 0.0), ([(1, 0), (-1, 1), (-1, -1)], 1.0)):
        np.testing.assert_allclose(_weights(updates, [3, 1, 2], alpha), [1 / 3] * 3, rtol=1e-6)


@pytest.mark.parametrize("updates", [[(1, 0), (-1, 0)], [(0, 0), (0, 0)]])
def test_a_step_of_length_zero_is_one(updates):
    np.testing.assert_array_equal(_weights(updates, [1, 2], 0.0), [0, 0])


@settings(max_examples=50)
@given(st.integers(1, 10), st.integers(0, 2**31), st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]))
def test_against_numpy(n, seed, alpha):
    """On the updates themselves, of which many conflict."""
    rng = np.random.default_rng(seed)
    updates, losses = rng.normal(size=(n, 3)), rng.uniform(size=n)
    expected = reference_weights.fed_fv(updates, losses, alpha=alpha)
    found = _weights(updates, losses, alpha) @ updates
    np.testing.assert_allclose(found, expected, atol=1e-4 * (1 + math.sqrt(n)))
