"""Tests of `tff_weights.cohort.update_geometry`."""

import collections
import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights.cohort.update_geometry import (
    UPDATE_FIELDS,
    angle_to_mean,
    measure_update,
    projection_on_mean,
    squared_norm,
)

_RANDOM = np.random.default_rng(0).normal(size=[20, 100])


def _split(vector):
    """Three or more numbers as tensors of different shapes."""
    vector = tf.constant(vector, tf.float32)
    return collections.OrderedDict(a=vector[:1], b=(vector[1:2][:, tf.newaxis], vector[2:]))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64])
def test_everything_is_computed_in_float32(dtype):
    """300² = 90000 does not fit into float16."""
    norm = squared_norm((tf.constant([300.0], dtype), tf.zeros([0], tf.float32)))
    assert norm.dtype == tf.float32
    np.testing.assert_allclose(norm, 90000, rtol=1e-2)
    update, mean = ((tf.constant(x, dtype),) for x in ([300.0, 300.0], [0.0, 300.0]))
    assert float(angle_to_mean(update, mean)) == pytest.approx(math.pi / 4, rel=1e-3)
    assert float(projection_on_mean(update, mean)) == pytest.approx(300, rel=1e-2)


def test_every_field_is_a_float32_scalar():
    update, mean = [tf.ones([2, 3]), tf.ones([])], [tf.zeros([2, 3]), tf.ones([])]
    for dtype in (tf.float32, tf.float64):  # The rate of a model of float64 is reported as such.
        report = {"learning_rate": tf.constant(0.1, dtype)}
        measured = measure_update(tuple(UPDATE_FIELDS), update, mean, report)
        assert set(measured) == set(UPDATE_FIELDS)
        for value in measured.values():
            assert (value.dtype, value.shape) == (tf.float32, [])
    assert not measure_update((), update)
    measured = measure_update(tuple(UPDATE_FIELDS), mean, mean, {"learning_rate": tf.constant(0.0)})
    assert measured["gradient_distance_to_mean"] == 0


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**31), size=st.integers(3, 30), rate=st.floats(1e-3, 1.0))
def test_the_distance_of_gradients_restated(seed, size, rate):
    update, mean = np.random.default_rng(seed).normal(size=(2, size)).astype(np.float32)
    report = {"learning_rate": tf.constant(rate, tf.float32)}
    measured = measure_update(("gradient_distance_to_mean",), _split(update), _split(mean), report)[
        "gradient_distance_to_mean"
    ]
    np.testing.assert_allclose(measured, np.linalg.norm(update / rate - mean / rate), rtol=1e-4)


@pytest.mark.parametrize(
    ("update", "mean", "angle"),
    [
        ([1, 0, 0], [5, 0, 0], 0),
        ([1, 0, 0], [0, 0, 2], math.pi / 2),
        ([1, 2, 3], [-2, -4, -6], math.pi),
        ([1, 1, 0], [0, 3, 0], math.pi / 4),
        ([1, 1, 0], [0, 1, 1], math.pi / 3),
        # Short ones, though the norms' product is 1e-6; and without length there is no direction.
        ([1e-3, 0, 0], [1e-3, 1e-3, 0], math.pi / 4),
        ([1, 2, 3], [0, 0, 0], math.pi / 2),
        ([0, 0, 0], [1, 2, 3], math.pi / 2),
        ([0, 0, 0], [0, 0, 0], math.pi / 2),
        # Rounding never leaves the cosines.
        *((_RANDOM[seed], _RANDOM[seed], 0) for seed in range(20)),
        *((_RANDOM[seed], -3 * _RANDOM[seed], math.pi) for seed in range(20)),
    ],
)
def test_angles_by_hand(update, mean, angle):
    """All tensors as one vector, in radians; the cosine of the fifth is 1 / (√2 √2).

    Near 0 and π a float32's cosine tells angles no nearer than √(2 · 6e−8).
    """
    np.testing.assert_allclose(angle_to_mean(_split(update), _split(mean)), angle, atol=5e-4)
