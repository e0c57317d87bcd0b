"""Tests of `tff_weights.aggregators.trimmed_sum`."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import scipy.stats
import tensorflow_federated as tff
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import TrimmedSumFactory, WeightingFactory, uniform_weighting

_TYPE = tff.to_type(
    collections.OrderedDict(a=tff.TensorType(np.float32, [2]), b=tff.TensorType(np.float64))
)


def _values(rows):
    return [collections.OrderedDict(a=np.float32(row[:2]), b=float(row[2])) for row in rows]


_PROCESSES = {fraction: TrimmedSumFactory(fraction).create(_TYPE) for fraction in (0.0, 0.2, 0.4)}


def _trimmed(rows, fraction):
    process = _PROCESSES[fraction]
    output = process.next(process.initialize(), _values(rows))
    result = output.result
    return np.array([*result["a"], result["b"]]), output.measurements["trimmed_at_each_end"]


def test_two_of_five_are_left_out():
    """Of 1, 2, 3, 4, 100 the middle three have the mean 3, five times which is 15."""
    rows = [[1.0, 5.0, -1e9], [2.0, 5.0, 1.0], [3.0, 5.0, 2.0], [100.0, 5.0, 3.0], [4.0, 5.0, 4.0]]
    total, trimmed = _trimmed(rows, 0.2)
    np.testing.assert_allclose(total, [15.0, 25.0, 10.0])
    assert trimmed == 1


@pytest.mark.parametrize("fraction", _PROCESSES)
def test_the_sum_of_nobody_is_zero(fraction):
    total, trimmed = _trimmed([], fraction)
    np.testing.assert_array_equal(total, np.zeros(3))
    assert trimmed == 0


@pytest.mark.parametrize("fraction", _PROCESSES)
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


def test_fewer_attackers_than_are_trimmed_cannot_leave_the_range_of_the_others():
    """Two of five send anything whatsoever: each coordinate stays between the honest ones."""
    honest = np.random.default_rng(1).normal(size=(3, 3))
    for evil in (1e30, -1e30, 0.0):
        mean = _trimmed([*honest, [evil] * 3, [-evil] * 3], 0.4)[0] / 5
        assert (honest.min(axis=0) - 1e-6 <= mean).all()
        assert (mean <= honest.max(axis=0) + 1e-6).all()


def test_as_the_inner_sum_of_uniform_weights_it_is_the_trimmed_mean():
    factory = WeightingFactory(uniform_weighting(), TrimmedSumFactory(0.2))
    value_type, report = tff.TensorType(np.float32, [3]), tff.TensorType(np.float32)
    process = factory.create(value_type, report)
    rows = np.random.default_rng(2).normal(size=(5, 3)).astype(np.float32)
    output = process.next(process.initialize(), list(rows), [1.0] * 5)
    np.testing.assert_allclose(output.result, scipy.stats.trim_mean(rows, 0.2, axis=0), rtol=1e-5)
    assert output.measurements["inner"]["trimmed_at_each_end"] == 1


def test_tffs_clipping_and_zeroing_can_be_put_around_it():
    clipped = tff.aggregators.clipping_factory(1.0, TrimmedSumFactory(0.2))
    process = tff.aggregators.zeroing_factory(10.0, clipped).create(tff.TensorType(np.float32, [2]))
    rows = [np.float32([3.0, 4.0])] * 4 + [np.float32([30.0, 40.0])]
    output = process.next(process.initialize(), rows)
    # Each of the four has the length 1, the fifth is 0 and the smallest.
    np.testing.assert_allclose(output.result, [3.0, 4.0], rtol=1e-5)


def test_what_is_no_float_is_refused():
    with pytest.raises(TypeError, match="must hold floats only"):
        TrimmedSumFactory().create(tff.TensorType(np.int32))
