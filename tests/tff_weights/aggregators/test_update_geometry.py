"""Tests of `tff_weights.aggregators.update_geometry`."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf

from tff_weights.aggregators.update_geometry import UPDATE_FIELDS, measure_update, squared_norm


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
    measured = measure_update(tuple(UPDATE_FIELDS), update, mean)
    assert set(measured) == set(UPDATE_FIELDS)
    for value in measured.values():
        assert (value.dtype, value.shape) == (tf.float32, [])


def test_only_what_is_asked_for_is_measured():
    assert list(measure_update(("squared_norm",), [tf.ones([2])])) == ["squared_norm"]
    assert not measure_update((), [tf.ones([2])])
