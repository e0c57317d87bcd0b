"""Tests of `tff_weights.weightings.simplex`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights

from tff_weights.weightings.simplex import least_quadratic, nearest_mixture, project


@pytest.mark.parametrize(
    ("values", "bounds", "expected"),
    [
        # The first would fall below 0: of the others, 1 is taken off.
        ([0, 1.2, 1.8], {}, [0, 0.2, 0.8]),
        ([], {}, []),
        # 1/4 is added to each, but the second is at its most: 0.35 to the others.
        ([0.1, 0.3, 0.1], {"upper": 0.45}, [0.275, 0.45, 0.275]),
        # The first stays at its least.
        ([0, 0, 3], {"lower": [0.2, 0, 0], "upper": [1, 1, 0.5]}, [0.25, 0.25, 0.5]),
        # Bounds that leave no choice.
        ([9, 0, 0], {"lower": [0.2, 0.3, 0.5], "upper": [0.2, 0.3, 0.5]}, [0.2, 0.3, 0.5]),
    ],
)
def test_projections_by_hand(values, bounds, expected):
    projected = project(tf.constant(values, tf.float32), **bounds)
    np.testing.assert_allclose(projected, expected, atol=1e-6)


@settings(max_examples=50)
@given(st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=12))
def test_projections_against_numpy(values):
    expected = reference_weights.nearest_mixture(values)
    np.testing.assert_allclose(project(tf.constant(values)), expected, atol=1e-6)


@pytest.mark.parametrize("largest", [1e7, 1e17, math.inf])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_huge_entry_has_all_or_nothing(largest, sign):
    """Beside nothing, 0.3 and 0.5 are 0.1 short of 1 each."""
    found = nearest_mixture(tf.constant([0.3, sign * largest, 0.5]))
    np.testing.assert_allclose(found, [0, 1, 0] if sign > 0 else [0.4, 0, 0.6], atol=1e-6)


def test_many_small_entries_still_sum_to_one():
    values = tf.constant(np.random.default_rng(0).normal(size=5000), tf.float32)
    assert float(tf.reduce_sum(project(values))) == pytest.approx(1, abs=1e-5)


def test_a_step_against_the_bounds_does_not_end_the_search():
    """Momentum pushes all entries at their bounds outwards, where a plain step goes further down.

    `A x` is less for entry 1 than for entry 4, so 1 takes what 4 has, and the others stay.
    """
    rows = [[0.21, 0.72, 0.65, -0.06], [0.22, 0.78, 0.56, 0.15], [0.08, 0.67, 0.70, 0.23]]
    rows = np.array([*rows, [0.16, 0.76, 0.61, 0.17], [0.24, 0.71, 0.63, 0.20]])
    prior = np.array([0.11379268, 0.41668346, 0.05388557, 0.41363642, 0.00200186])
    lower, upper = np.maximum(prior - 0.1, 0), prior + 0.1
    given = map(tf.constant, (rows @ rows.T, np.zeros(5), prior / prior.sum()))
    found = least_quadratic(*given, lower=lower, upper=upper).numpy()
    np.testing.assert_allclose(found, [0.2138, 0.3187, 0.1539, 0.3136, 0.0], atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 8), st.integers(0, 2**31), st.floats(0.05, 1))
def test_least_quadratics_against_scipy(n, seed, width):
    """Of matrices without full rank, too, where more than one mixture may be the least."""
    rng = np.random.default_rng(seed)
    rows, linear, center = rng.normal(size=(n, 3)), rng.normal(size=n), rng.dirichlet(np.ones(n))
    matrix = rows @ rows.T
    lower, upper = np.maximum(center - width, 0), np.minimum(center + width, 1)
    found = least_quadratic(
        *map(tf.constant, (matrix, linear, center)), lower=lower, upper=upper
    ).numpy()

    def value(x):
        return 0.5 * x @ matrix @ x + linear @ x

    expected = reference_weights.least_over_mixtures(value, lower=lower, upper=upper)
    assert found.sum() == pytest.approx(1) and np.all(found >= lower - 1e-9)
    assert value(found) <= value(expected) + 1e-6
