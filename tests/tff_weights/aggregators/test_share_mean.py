"""Tests of `tff_weights.aggregators.share_mean`."""

import numpy as np
import tensorflow_federated as tff

from tff_weights.aggregators.share_mean import ShareMeanFactory

_VECTOR = tff.TensorType(np.float32, [2])


def test_a_bound_that_no_value_reaches_changes_nothing():
    """Norms of at most 5 under a bound of 6, whatever the weights; TFF's own mean is clipped."""
    values, weights = [*np.array([[3, 4], [0, 5]], np.float32)], [100.0, 300.0]
    clipped = tff.aggregators.clipping_factory(6.0, tff.aggregators.SumFactory())
    ours, of_tff = (
        process.next(process.initialize(), values, weights).result
        for process in (
            factory(clipped).create(_VECTOR, tff.TensorType(np.float32))
            for factory in (ShareMeanFactory, tff.aggregators.MeanFactory)
        )
    )
    np.testing.assert_allclose(ours, [0.75, 4.75], rtol=1e-6)
    assert np.linalg.norm(of_tff) < 0.1
