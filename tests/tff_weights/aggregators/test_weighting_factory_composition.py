"""Tests of `tff_weights.aggregators.weighting_factory` together with TFF's own factories."""

from __future__ import annotations

import collections
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
import tensorflow_privacy
from reference.problem import batches, functional_model, make_clients

from tff_weights import WeightingFactory, num_examples_weighting, uniform_weighting
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


def test_by_default_a_plain_sum():
    result, _ = _aggregate(_by_examples())
    np.testing.assert_allclose(result, _scaled().sum(axis=0), rtol=1e-5)


def test_clipping_inside_bounds_what_each_client_adds():
    """The norm after weighting; only the second, 0.2 · √(0.04 + 0.16 + 4 + 64), exceeds 1.3."""
    result, output = _aggregate(
        _by_examples(tff.aggregators.clipping_factory(1.3, tff.aggregators.SumFactory()))
    )
    norms = np.linalg.norm(_scaled(), axis=1, keepdims=True)
    expected = (_scaled() * np.minimum(1, 1.3 / norms)).sum(axis=0)
    np.testing.assert_allclose(result, expected, rtol=1e-5)
    assert output.measurements["inner"]["clipped_count"] == 1


def test_clipping_outside_bounds_the_updates_before_they_are_weighed():
    """All but the third client's norm, √3, exceed 2."""
    result, output = _aggregate(tff.aggregators.clipping_factory(2.0, _by_examples()))
    vectors = _vectors()
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = np.array(_COUNTS) / 100 @ (vectors * np.minimum(1, 2 / norms))
    np.testing.assert_allclose(result, expected, rtol=1e-5)
    assert output.measurements["clipped_count"] == 2
    np.testing.assert_allclose(
        np.sort(output.measurements["clipping"]["cohort"]["weights"]), [0.1, 0.2, 0.7], rtol=1e-6
    )


def test_zeroing_inside_drops_what_is_too_large():
    """The entries of largest magnitude after weighting are 0.4, 1.6 and 0.7."""
    result, output = _aggregate(
        _by_examples(tff.aggregators.zeroing_factory(1.0, tff.aggregators.SumFactory()))
    )
    np.testing.assert_allclose(result, _scaled()[[0, 2]].sum(axis=0), rtol=1e-5)
    assert output.measurements["inner"]["zeroed_count"] == 1


def test_zeroing_outside():
    result, _ = _aggregate(tff.aggregators.zeroing_factory(5.0, _by_examples()))
    np.testing.assert_allclose(result, _scaled()[[0, 2]].sum(axis=0), rtol=1e-5)


def test_gaussian_noise_that_is_nearly_none():
    """The query divides by its expected number of clients, so one makes it a sum."""
    result, _ = _aggregate(
        _by_examples(
            tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(
                noise_multiplier=1e-9, clients_per_round=1.0, clip=100.0
            )
        )
    )
    np.testing.assert_allclose(result, _scaled().sum(axis=0), rtol=1e-5, atol=1e-6)


def test_gaussian_noise_that_is_not():
    """Clipping at 10, which clips nothing, and a deviation of 10: the sum is off by 40 at most."""
    result, _ = _aggregate(
        _by_examples(
            tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(
                noise_multiplier=1.0, clients_per_round=1.0, clip=10.0
            )
        )
    )
    difference = np.abs(result - _scaled().sum(axis=0))
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


def test_compression_that_loses_nothing():
    """Tensors of no more entries than the threshold are sent as they are."""
    result, _ = _aggregate(
        _by_examples(
            tff.aggregators.EncodedSumFactory.quantize_above_threshold(
                quantization_bits=8, threshold=1000
            )
        )
    )
    np.testing.assert_allclose(result, _scaled().sum(axis=0), rtol=1e-5)


def test_compression_to_sixteen_bits():
    """A step is the range divided by 2¹⁶, and the ranges are at most 4."""
    result, _ = _aggregate(
        _by_examples(
            tff.aggregators.EncodedSumFactory.quantize_above_threshold(
                quantization_bits=16, threshold=1
            )
        )
    )
    np.testing.assert_allclose(result, _scaled().sum(axis=0), atol=3 * 4 / 2**15)


def test_secure_sum():
    """The updates are added securely; the reports travel in the clear, and a tool can tell."""
    process = _by_examples(tff.aggregators.SecureSumFactory(8.0, -8.0)).create(_VALUE, _WEIGHT)
    tff.test.assert_contains_secure_aggregation(process.next)
    tff.test.assert_contains_unsecure_aggregation(process.next)
    with using(ProgramOptions(simulate_secure_aggregation=True)):
        result, output = _aggregate(_by_examples(tff.aggregators.SecureSumFactory(8.0, -8.0)))
    np.testing.assert_allclose(result, _scaled().sum(axis=0), atol=1e-5)
    assert output.measurements["cohort"]["num_participants"] == 3


# In a program of its own: what TFF's context starts, a worker and gRPC's threads, stays until the
# program ends, and a process that has such threads cannot start Ray.
_IN_TFFS_DEFAULT_CONTEXT = """
import grpc
import numpy as np
import tensorflow_federated as tff
from tff_weights import WeightingFactory, num_examples_weighting
from tff_weights.runtime import ProgramOptions, using

secure = tff.aggregators.SecureSumFactory(8.0, -8.0)
process = WeightingFactory(num_examples_weighting(), secure).create(
    tff.TensorType(np.float32, [2]), tff.TensorType(np.float32)
)
values, weights = [np.float32([1, 2]), np.float32([4, -4])], [1.0, 3.0]
state = process.initialize()
try:
    process.next(state, values, weights)
except grpc.RpcError as error:
    print(error.code().name)
    print(error.details().splitlines()[0])
with using(ProgramOptions(simulate_secure_aggregation=True)):
    print(process.next(state, values, weights).result)
"""


@pytest.mark.long
def test_a_secure_sum_in_tffs_default_context():
    """The error that the documentation names is TFF's, and the remedy beside it ends it.

    A quarter of (1, 2) and three of (4, −4) are (3.25, −2.5).
    """
    page = pathlib.Path(__file__).parents[3] / "docs" / "how_to" / "pipeline.md"
    ended = subprocess.run(
        [sys.executable, "-c", _IN_TFFS_DEFAULT_CONTEXT],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ended.returncode == 0, ended.stderr
    code, details, result = ended.stdout.splitlines()
    assert code in page.read_text()
    said = "Cannot embed a federated value. while evaluating local ["
    assert said in details and said in page.read_text()
    np.testing.assert_allclose([float(x) for x in result.strip("[]").split()], [3.25, -2.5], 1e-4)


def test_a_plain_sum_holds_no_secure_aggregation():
    process = _by_examples().create(_VALUE, _WEIGHT)
    tff.test.assert_not_contains_secure_aggregation(process.next)


def test_a_client_that_is_left_out_adds_nothing_to_an_inner_factory():
    inner = tff.aggregators.clipping_factory(100.0, tff.aggregators.SumFactory())
    process = _by_examples(inner).create(_VALUE, _WEIGHT)
    broken = (np.full(3, np.nan, np.float32), np.float32(0))
    output = process.next(process.initialize(), [*_VALUES, broken], [*_COUNTS, 50.0])
    np.testing.assert_allclose(np.append(*output.result), _scaled().sum(axis=0), rtol=1e-5)


@pytest.fixture(scope="module")
def clients():
    return [
        batches(examples, batch_size=8, epochs=2) for examples in make_clients([30, 7, 64], seed=5)
    ]


def _train(build, clients, aggregator=None):
    process = build(
        functional_model(),
        client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.1),
        model_aggregator=aggregator,
    )
    state = process.initialize()
    for _ in range(2):
        output = process.next(state, clients)
        state = output.state
    trainable = process.get_model_weights(state).trainable
    return np.concatenate([np.ravel(array) for array in trainable]), output


def test_as_the_aggregator_of_tffs_federated_averaging(clients):
    """By the number of examples it is what TFF does by itself."""
    build = tff.learning.algorithms.build_weighted_fed_avg
    own, _ = _train(build, clients)
    ours, output = _train(build, clients, WeightingFactory(num_examples_weighting()))
    np.testing.assert_allclose(ours, own, rtol=1e-5, atol=1e-6)
    cohort = output.metrics["aggregator"]["cohort"]
    # TFF's clients count the examples of both epochs.
    np.testing.assert_array_equal(np.sort(cohort["reports"]["num_examples"]), [14, 60, 128])


def test_uniform_in_tffs_weighted_averaging_is_its_unweighted_averaging(clients):
    unweighted, _ = _train(tff.learning.algorithms.build_unweighted_fed_avg, clients)
    ours, _ = _train(
        tff.learning.algorithms.build_weighted_fed_avg,
        clients,
        WeightingFactory(uniform_weighting()),
    )
    np.testing.assert_allclose(ours, unweighted, rtol=1e-5, atol=1e-6)


def test_a_weighting_of_ones_own_in_tffs_federated_averaging(clients):
    """The largest client alone, as a user would write it, behind TFF's clipping."""
    from tff_weights import Weighed, Weighting

    largest = Weighting(
        "largest",
        ("num_examples",),
        lambda history, reports: Weighed(
            tf.one_hot(tf.argmax(reports["num_examples"]), tf.size(reports["num_examples"])),
            history,
        ),
    )
    ours, output = _train(
        tff.learning.algorithms.build_weighted_fed_avg,
        clients,
        tff.aggregators.clipping_factory(1e6, WeightingFactory(largest)),
    )
    alone, _ = _train(tff.learning.algorithms.build_weighted_fed_avg, clients[2:])
    np.testing.assert_allclose(ours, alone, rtol=1e-5, atol=1e-6)


def test_the_state_of_an_inner_factory_goes_from_round_to_round():
    """An adaptive clipping norm, 1 at first, moves."""
    norm = tff.aggregators.PrivateQuantileEstimationProcess.no_noise(
        initial_estimate=1.0, target_quantile=0.5, learning_rate=1.0
    )
    inner = tff.aggregators.clipping_factory(norm, tff.aggregators.SumFactory())
    process = _by_examples(inner).create(_VALUE, _WEIGHT)
    state = process.initialize()
    norms = []
    for _ in range(3):
        output = process.next(state, _VALUES, _COUNTS)
        state = output.state
        norms.append(output.measurements["inner"]["clipping_norm"])
    assert norms[0] == pytest.approx(1.0)
    assert len(set(norms)) > 1
    assert isinstance(state, collections.OrderedDict)
