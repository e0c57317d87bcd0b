"""Tests of `tff_weights.cohort.update_geometry`."""

from __future__ import annotations

import collections
import dataclasses
import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights

from tff_weights.cohort.update_geometry import (
    UPDATE_FIELDS,
    angle_to_mean,
    measure_update,
    projection_on_mean,
    squared_norm,
)


def _split(vector):
    """Three or more numbers as tensors of different shapes."""
    vector = tf.constant(vector, tf.float32)
    return collections.OrderedDict(a=vector[:1], b=(vector[1:2][:, tf.newaxis], vector[2:]))


def test_a_field_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        UPDATE_FIELDS["squared_norm"].needs_mean = True


def test_squared_norm_by_hand():
    """Over all tensors, whatever their shapes: (1 + 4) + (9 + 16) + 25 = 55."""
    update = collections.OrderedDict(
        a=tf.constant([[1.0], [-2.0]]), b=(tf.constant([3.0, 4.0]), tf.constant(-5.0))
    )
    assert float(squared_norm(update)) == 55


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64])
def test_squared_norm_is_computed_in_float32(dtype):
    """300² = 90000 does not fit into float16."""
    norm = squared_norm((tf.constant([300.0], dtype), tf.zeros([0], tf.float32)))
    assert norm.dtype == tf.float32
    np.testing.assert_allclose(norm, 90000, rtol=1e-2)


def test_every_field_is_a_float32_scalar():
    update, mean = [tf.ones([2, 3]), tf.ones([])], [tf.zeros([2, 3]), tf.ones([])]
    report = {"learning_rate": tf.constant(0.1)}
    measured = measure_update(tuple(UPDATE_FIELDS), update, mean, report)
    assert set(measured) == set(UPDATE_FIELDS)
    for value in measured.values():
        assert (value.dtype, value.shape) == (tf.float32, [])


def test_the_distance_of_gradients_by_hand():
    """Δ = (1, 2, 3, 4) and Δ̄ = (0, 0, 1, 2): √(1 + 4 + 4 + 4) = √13 = 3.605551; with the rate 0.1
    the gradients −Δ/η are 36.05551 apart."""
    measured = measure_update(
        ("gradient_distance_to_mean",),
        _split([1, 2, 3, 4]),
        _split([0, 0, 1, 2]),
        {"learning_rate": tf.constant(0.1)},
    )
    np.testing.assert_allclose(measured["gradient_distance_to_mean"], 36.05551, rtol=1e-6)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**31), size=st.integers(3, 30), rate=st.floats(1e-3, 1.0))
def test_the_distance_of_gradients_restated(seed, size, rate):
    update, mean = np.random.default_rng(seed).normal(size=(2, size)).astype(np.float32)
    report = {"learning_rate": tf.constant(rate, tf.float32)}
    measured = measure_update(("gradient_distance_to_mean",), _split(update), _split(mean), report)[
        "gradient_distance_to_mean"
    ]
    np.testing.assert_allclose(measured, np.linalg.norm(update / rate - mean / rate), rtol=1e-4)


def test_only_what_is_asked_for_is_measured():
    assert list(measure_update(("squared_norm",), [tf.ones([2])])) == ["squared_norm"]
    assert not measure_update((), [tf.ones([2])])


@pytest.mark.parametrize(
    ("update", "mean", "angle"),
    [
        ([1, 0, 0], [5, 0, 0], 0),
        ([1, 0, 0], [0, 0, 2], math.pi / 2),
        ([1, 2, 3], [-2, -4, -6], math.pi),
        ([1, 1, 0], [0, 3, 0], math.pi / 4),
        ([1, 1, 0], [0, 1, 1], math.pi / 3),
    ],
)
def test_angles_by_hand(update, mean, angle):
    """All tensors as one vector, in radians; the cosine of the last is 1 / (√2 √2).

    Near 0 and π a float32's cosine tells angles no nearer than √(2 · 6e−8).
    """
    np.testing.assert_allclose(angle_to_mean(_split(update), _split(mean)), angle, atol=5e-4)


def test_short_updates_have_their_angle():
    """(1, 0, 0)·10⁻³ and (1, 1, 0)·10⁻³: arccos(1/√2) = π/4, though the norms' product is 10⁻⁶."""
    angle = angle_to_mean(_split([1e-3, 0, 0]), _split([1e-3, 1e-3, 0]))
    assert float(angle) == pytest.approx(math.pi / 4, rel=1e-5)


def test_no_length_is_a_right_angle():
    """Neither an update nor a mean without length has a direction."""
    some, none = _split([1, 2, 3]), _split([0, 0, 0])
    for update, mean in ((some, none), (none, some), (none, none)):
        assert float(angle_to_mean(update, mean)) == pytest.approx(math.pi / 2)


def test_rounding_never_leaves_the_cosines():
    """Of vectors along each other it may come to a little more than 1."""
    for seed in range(50):
        vector = np.random.default_rng(seed).normal(size=100)
        assert 0 <= float(angle_to_mean(_split(vector), _split(vector))) < 1e-3
        assert math.pi - 1e-3 < float(angle_to_mean(_split(vector), _split(-3 * vector))) < 3.15


@pytest.mark.parametrize(
    ("update", "mean", "projection"),
    [
        ([3, 4, 5], [0, 2, 0], 4),
        ([3, 4, 5], [0, -2, 0], -4),
        ([1, 2, 2], [1, 2, 2], 3),
        ([0, 0, 0], [1, 2, 2], 0),
        ([1, 2, 2], [0, 0, 0], 0),
    ],
)
def test_projections_by_hand(update, mean, projection):
    """The mean's length does not count; on one without length there is no projection."""
    assert float(projection_on_mean(_split(update), _split(mean))) == pytest.approx(projection)


_VECTORS = st.lists(st.floats(-100, 100, width=16), min_size=5, max_size=5)


@settings(deadline=None, max_examples=60)
@given(_VECTORS, _VECTORS)
def test_angle_and_projection_against_numpy(update, mean):
    """And they are the same for both signs of an update, which turn the mean around as well."""
    first, second = np.array(update), np.array(mean)
    for sign in (1, -1):
        angle = float(angle_to_mean(_split(sign * first), _split(sign * second)))
        projection = float(projection_on_mean(_split(sign * first), _split(sign * second)))
        assert math.cos(angle) == pytest.approx(
            math.cos(reference_weights.angle(second, first)), abs=1e-5
        )
        assert projection == pytest.approx(
            reference_weights.projection(first, second), rel=1e-5, abs=1e-4
        )


@pytest.mark.parametrize("dtype", [tf.float16, tf.float64])
def test_angles_are_computed_in_float32(dtype):
    """300² does not fit into float16."""
    update = (tf.constant([300.0, 300.0], dtype),)
    mean = (tf.constant([0.0, 300.0], dtype),)
    assert float(angle_to_mean(update, mean)) == pytest.approx(math.pi / 4, rel=1e-3)
    assert float(projection_on_mean(update, mean)) == pytest.approx(300, rel=1e-3)
