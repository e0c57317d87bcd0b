"""Tests of `tff_weights.aggregators.share_mean`."""

import numpy as np
import tensorflow_federated as tff
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy

from tff_weights.aggregators.share_mean import ShareMeanFactory

_VECTOR = tff.TensorType(np.float32, [2])
_WEIGHT = tff.TensorType(np.float32)


_PLAIN = ShareMeanFactory().create(_VECTOR, _WEIGHT)


def _mean(values, weights, process=_PLAIN):
    return process.next(
        process.initialize(), list(np.array(values, np.float32)), list(map(float, weights))
    ).result


def test_weights_of_zero_give_zero():
    np.testing.assert_array_equal(_mean([[4, 0], [0, 8]], [0, 0]), [0, 0])


@settings(max_examples=10)
@given(
    hypothesis_numpy.arrays(np.float32, (3, 2), elements=st.floats(-100, 100, width=32)),
    hypothesis_numpy.arrays(np.float32, 3, elements=st.floats(0.125, 100, width=32)),
)
def test_against_numpy(values, weights):
    expected = np.average(values.astype(np.float64), axis=0, weights=weights.astype(np.float64))
    np.testing.assert_allclose(_mean(values, weights), expected, rtol=1e-5, atol=1e-4)


def test_a_bound_that_no_value_reaches_changes_nothing():
    """Norms of at most 5 under a bound of 6, whatever the weights; TFF's own mean is clipped."""
    values, weights = [[3, 4], [0, 5]], [100, 300]
    clipped = tff.aggregators.clipping_factory(6.0, tff.aggregators.SumFactory())
    ours, of_tff = (
        _mean(values, weights, factory(clipped).create(_VECTOR, _WEIGHT))
        for factory in (ShareMeanFactory, tff.aggregators.MeanFactory)
    )
    np.testing.assert_allclose(ours, [0.75, 4.75], rtol=1e-6)
    assert np.linalg.norm(of_tff) < 0.1
