"""Tests of `tff_weights.aggregators.trimmed_sum`."""

import collections
import functools

import numpy as np
import pytest
import scipy.stats
import tensorflow_federated as tff
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import TrimmedSumFactory

_TYPE = tff.to_type(
    collections.OrderedDict(a=tff.TensorType(np.float32, [2]), b=tff.TensorType(np.float64))
)


@functools.cache
def _process(fraction):
    return TrimmedSumFactory(fraction).create(_TYPE)


def _trimmed(rows, fraction):
    process = _process(fraction)
    values = [collections.OrderedDict(a=np.float32(row[:2]), b=float(row[2])) for row in rows]
    output = process.next(process.initialize(), values)
    result = output.result
    return np.array([*result["a"], result["b"]]), output.measurements["trimmed_at_each_end"]


def test_two_of_five_are_left_out():
    """Of 1, 2, 3, 4, 100 the middle three have the mean 3, five times which is 15; nobody has 0."""
    rows = [[1.0, 5.0, -1e9], [2.0, 5.0, 1.0], [3.0, 5.0, 2.0], [100.0, 5.0, 3.0], [4.0, 5.0, 4.0]]
    total, trimmed = _trimmed(rows, 0.2)
    np.testing.assert_allclose(total, [15.0, 25.0, 10.0])
    assert trimmed == 1
    total, trimmed = _trimmed(rows[1:], np.nextafter(0.5, 0))  # The median; -1e9 is left out.
    np.testing.assert_allclose(total, [14.0, 20.0, 10.0])
    total, trimmed = _trimmed([], 0.2)
    np.testing.assert_array_equal(total, np.zeros(3))
    assert trimmed == 0


@pytest.mark.parametrize("fraction", [0.0, 0.2, 0.4])
@settings(max_examples=15)
@given(data=st.data())
def test_it_is_n_times_scipys_trimmed_mean(fraction, data):
    num_clients = data.draw(st.integers(1, 12))
    seed = data.draw(st.integers(0, 2**32 - 1))
    rows = np.random.default_rng(seed).normal(size=(num_clients, 3)).astype(np.float32)
    total, trimmed = _trimmed(rows, fraction)
    expected = num_clients * scipy.stats.trim_mean(rows, fraction, axis=0)
    np.testing.assert_allclose(total, expected, rtol=1e-4, atol=1e-5)
    assert trimmed == int(fraction * num_clients + 1e-9)


def test_what_is_no_float_is_refused():
    with pytest.raises(TypeError, match="must hold floats only"):
        TrimmedSumFactory().create(tff.TensorType(np.int32))
