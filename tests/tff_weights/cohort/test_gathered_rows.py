"""Tests of `tff_weights.cohort.gathered_rows`."""

import collections

import numpy as np
import pytest
import tensorflow_federated as tff

from tff_weights.cohort.gathered_rows import gather_rows

_TYPE = collections.OrderedDict(a=np.int64, b=(np.float32, [2]))


@tff.federated_computation(tff.FederatedType(_TYPE, tff.CLIENTS))
def _gather(values):
    return gather_rows(values)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_each_client_has_a_row_in_all_tensors(number):
    """Client i has i and (i, −i)."""
    values = [
        collections.OrderedDict(a=np.int64(i), b=np.array([i, -i], np.float32))
        for i in range(number)
    ]
    rows = _gather(values)
    order = np.argsort(rows["a"])
    np.testing.assert_array_equal(rows["a"][order], np.arange(number))
    expected = [[i, -i] for i in range(number)]
    np.testing.assert_array_equal(rows["b"][order], np.reshape(expected, [number, 2]))
