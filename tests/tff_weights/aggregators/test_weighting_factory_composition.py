"""Tests of `tff_weights.aggregators.weighting_factory` together with TFF's own factories."""

import numpy as np
import pytest
import tensorflow_federated as tff
from reference.problem import batches, functional_model, make_clients, to_vector

from tff_weights import WeightingFactory, num_examples_weighting

_VALUE = tff.to_type((tff.TensorType(np.float32, [3]), np.float32))
_WEIGHT = tff.TensorType(np.float32)
_VALUES = [
    (np.array([3.0, -1.0, 0.5], np.float32), np.float32(4.0)),
    (np.array([0.2, 0.4, -2.0], np.float32), np.float32(-8.0)),
    (np.array([1.0, 1.0, 1.0], np.float32), np.float32(0.0)),
]
_COUNTS = [10.0, 20.0, 70.0]


def _vectors():
    return np.array([[*array, number] for array, number in _VALUES], np.float64)


def _aggregate(factory):
    process = factory.create(_VALUE, _WEIGHT)
    output = process.next(process.initialize(), _VALUES, _COUNTS)
    array, number = output.result
    return np.append(array, number), output


def _by_examples(inner_factory=None):
    return WeightingFactory(num_examples_weighting(), inner_factory)


def _clipped(vectors, norm):
    return vectors * np.minimum(1, norm / np.linalg.norm(vectors, axis=1, keepdims=True))


_SUM = tff.aggregators.SumFactory()
# A factory, the parts of its sum, and what it publishes.
_CASES = {
    # The norm after weighting; only the second, 0.2 · √(0.04 + 0.16 + 4 + 64), exceeds 1.3.
    "clipping inside": (
        lambda: _by_examples(tff.aggregators.clipping_factory(1.3, _SUM)),
        lambda: _clipped(np.array(_COUNTS)[:, np.newaxis] / 100 * _vectors(), 1.3),
        lambda measured: measured["inner"]["clipped_count"] == 1,
    ),
    # Of the updates themselves all but the third's norm, √3, exceed 2.
    "clipping outside": (
        lambda: tff.aggregators.clipping_factory(2.0, _by_examples()),
        lambda: np.array(_COUNTS)[:, np.newaxis] / 100 * _clipped(_vectors(), 2),
        lambda measured: measured["clipped_count"] == 2,
    ),
}


@pytest.mark.parametrize(("factory", "parts", "measures"), _CASES.values(), ids=_CASES)
def test_tffs_factories_inside_and_outside(factory, parts, measures):
    result, output = _aggregate(factory())
    np.testing.assert_allclose(result, parts().sum(axis=0), rtol=1e-5, atol=1e-5)
    assert measures(output.measurements)


def test_a_round_that_is_not_applied_moves_no_adaptive_clip():
    clip = tff.aggregators.PrivateQuantileEstimationProcess.no_noise(1.0, 0.5, 0.5)
    clipped = tff.aggregators.clipping_factory(clip, tff.aggregators.SumFactory())
    process = _by_examples(clipped).create(_VALUE, _WEIGHT)
    state = process.initialize()
    for counts, is_moved in (([0.0] * 3, False), (_COUNTS, True)):
        assert (str(process.next(state, _VALUES, counts).state) != str(state)) is is_moved


def _train(aggregator):
    process = tff.learning.algorithms.build_weighted_fed_avg(
        functional_model(),
        client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.1),
        model_aggregator=aggregator,
    )
    clients = [batches(each, batch_size=8, epochs=2) for each in make_clients([30, 7, 64], seed=5)]
    state = process.initialize()
    for _ in range(2):
        state = process.next(state, clients).state
    return to_vector(process.get_model_weights(state).trainable)


def test_in_tffs_weighted_averaging_it_is_an_averaging_of_tffs():
    ours, theirs = map(_train, (_by_examples(), None))
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
