"""Tests of `tff_weights.aggregators.weighting_factory` together with TFF's own factories."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
import tensorflow_privacy
from reference.problem import batches, functional_model, make_clients, to_vector

from tff_weights import (
    Weighed,
    Weighting,
    WeightingFactory,
    num_examples_weighting,
    uniform_weighting,
)
from tff_weights.runtime import ProgramOptions, using

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


def _scaled():
    return np.array(_COUNTS)[:, np.newaxis] / 100 * _vectors()


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
# From a factory and its expected sum to what it may be off by, and what it publishes.
_CASES = {
    "by default a plain sum": (_by_examples, _scaled, 1e-5, None),
    # The norm after weighting; only the second, 0.2 · √(0.04 + 0.16 + 4 + 64), exceeds 1.3.
    "clipping inside": (
        lambda: _by_examples(tff.aggregators.clipping_factory(1.3, _SUM)),
        lambda: _clipped(_scaled(), 1.3),
        1e-5,
        lambda measured: measured["inner"]["clipped_count"] == 1,
    ),
    # Of the updates themselves all but the third's norm, √3, exceed 2.
    "clipping outside": (
        lambda: tff.aggregators.clipping_factory(2.0, _by_examples()),
        lambda: np.array(_COUNTS)[:, np.newaxis] / 100 * _clipped(_vectors(), 2),
        1e-5,
        lambda measured: measured["clipped_count"] == 2,
    ),
    # The entries of largest magnitude are 0.4, 1.6 and 0.7 after weighting, 4, 8 and 1 before it.
    "zeroing inside": (
        lambda: _by_examples(tff.aggregators.zeroing_factory(1.0, _SUM)),
        lambda: _scaled()[[0, 2]],
        1e-5,
        lambda measured: measured["inner"]["zeroed_count"] == 1,
    ),
    "zeroing outside": (
        lambda: tff.aggregators.zeroing_factory(5.0, _by_examples()),
        lambda: _scaled()[[0, 2]],
        1e-5,
        lambda measured: measured["zeroed_count"] == 1,
    ),
    # The query divides by its expected number of clients, so that one makes it a sum.
    "noise that is nearly none": (
        lambda: _by_examples(
            tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(
                noise_multiplier=1e-9, clients_per_round=1.0, clip=100.0
            )
        ),
        _scaled,
        1e-5,
        None,
    ),
    # A step is the range divided by 2¹⁶, and the ranges are at most 4.
    "compression to sixteen bits": (
        lambda: _by_examples(
            tff.aggregators.EncodedSumFactory.quantize_above_threshold(
                quantization_bits=16, threshold=1
            )
        ),
        _scaled,
        3 * 4 / 2**15,
        None,
    ),
}


@pytest.mark.parametrize(("factory", "parts", "tolerance", "measures"), _CASES.values(), ids=_CASES)
def test_tffs_factories_inside_and_outside(factory, parts, tolerance, measures):
    result, output = _aggregate(factory())
    np.testing.assert_allclose(result, parts().sum(axis=0), rtol=1e-5, atol=tolerance)
    assert measures is None or measures(output.measurements)


def test_noise_that_is_not_none():
    """Clipping at 10, which clips nothing, and a deviation of 10: the sum is off by 40 at most."""
    noisy = tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(
        noise_multiplier=1.0, clients_per_round=1.0, clip=10.0
    )
    difference = np.abs(_aggregate(_by_examples(noisy))[0] - _scaled().sum(axis=0))
    assert 0.01 < difference.max() < 100


def test_an_adaptive_clip_follows_the_quantile_of_the_weighted_updates():
    """By examples the four updates, each of norm 1, become 0.1, 0.2, 0.3 and 0.4.

    Nine tenths of them are below 0.4, where the clip has to end: with three of four below it grows
    by exp(0.03), with four it shrinks by exp(-0.02). An estimator that took the four for one client
    would end at 0.3, since there three below and one above are 0.5 + 1 clients, which is all.
    """
    query = tensorflow_privacy.QuantileAdaptiveClipSumQuery(
        initial_l2_norm_clip=0.1,
        noise_multiplier=0.0,
        target_unclipped_quantile=0.9,
        learning_rate=0.2,
        clipped_count_stddev=0.0,
        expected_num_records=4.0,
    )
    inner = tff.aggregators.DifferentiallyPrivateFactory(query)
    process = _by_examples(inner).create(tff.TensorType(np.float32, [1]), _WEIGHT)
    updates = [np.array([sign], np.float32) for sign in (-1, 1, 1, 1)]
    state = process.initialize()
    results = []
    for _ in range(100):
        output = process.next(state, updates, [10.0, 20.0, 30.0, 40.0])
        state = output.state
        results.append(float(output.result[0]))
    clip = output.measurements["inner"]["dp_query_metrics"]["clip"]
    assert clip == pytest.approx(0.4, rel=0.04)
    # At first all are clipped to 0.1, at last next to nothing is, and the sum is not divided.
    assert results[0] == pytest.approx(-0.1 + 0.3, rel=1e-5)
    assert results[-1] == pytest.approx(-0.1 + 0.9, abs=0.04 * 0.4)


def test_secure_sum():
    """The updates are added securely; the reports travel in the clear, and a tool can tell."""
    process = _by_examples(tff.aggregators.SecureSumFactory(8.0, -8.0)).create(_VALUE, _WEIGHT)
    tff.test.assert_contains_secure_aggregation(process.next)
    tff.test.assert_contains_unsecure_aggregation(process.next)
    plain = _by_examples().create(_VALUE, _WEIGHT)
    tff.test.assert_not_contains_secure_aggregation(plain.next)
    with using(ProgramOptions(simulate_secure_aggregation=True)):
        result, output = _aggregate(_by_examples(tff.aggregators.SecureSumFactory(8.0, -8.0)))
    np.testing.assert_allclose(result, _scaled().sum(axis=0), atol=1e-5)
    assert output.measurements["cohort"]["num_participants"] == 3


_CLIENTS = [batches(each, batch_size=8, epochs=2) for each in make_clients([30, 7, 64], seed=5)]
_LARGEST = Weighting(
    "largest",
    ("num_examples",),
    lambda history, reports: Weighed(
        tf.one_hot(tf.argmax(reports["num_examples"]), tf.size(reports["num_examples"])), history
    ),
)


def _train(build, clients, aggregator=None):
    process = build(
        functional_model(),
        client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.1),
        model_aggregator=aggregator,
    )
    state = process.initialize()
    for _ in range(2):
        state = process.next(state, clients).state
    return to_vector(process.get_model_weights(state).trainable)


@pytest.mark.parametrize(
    ("aggregator", "build", "clients"),
    [
        (_by_examples(), tff.learning.algorithms.build_weighted_fed_avg, _CLIENTS),
        (
            WeightingFactory(uniform_weighting()),
            tff.learning.algorithms.build_unweighted_fed_avg,
            _CLIENTS,
        ),
        # The largest client alone, as a user would write it, behind TFF's clipping.
        (
            tff.aggregators.clipping_factory(1e6, WeightingFactory(_LARGEST)),
            tff.learning.algorithms.build_weighted_fed_avg,
            _CLIENTS[2:],
        ),
    ],
    ids=["by examples", "uniform", "the largest"],
)
def test_in_tffs_weighted_averaging_it_is_an_averaging_of_tffs(aggregator, build, clients):
    ours = _train(tff.learning.algorithms.build_weighted_fed_avg, _CLIENTS, aggregator)
    np.testing.assert_allclose(ours, _train(build, clients), rtol=1e-5, atol=1e-6)
