import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
import tensorflow_privacy

import tff_weights
from tff_weights.cohort.inner_sum import create_inner_sum, inner_sum

_TYPE = tff.to_type([(np.float32, [50]), (np.float32, [7])])
_SUM = tff.aggregators.SumFactory()
_MEAN = tff.aggregators.UnweightedMeanFactory()
_Private = tff.aggregators.DifferentiallyPrivateFactory


@pytest.mark.parametrize("wrong", [tff.aggregators.MeanFactory(), 1.0])
def test_what_weighs_by_itself_is_refused(wrong):
    assert inner_sum(_MEAN) is _MEAN
    assert isinstance(inner_sum(None), tff.aggregators.SumFactory)
    with pytest.raises(TypeError, match=f"inner_factory .*got {type(wrong).__name__}"):
        inner_sum(wrong)


def _gaussian(noise_multiplier, clients_per_round):
    return _Private.gaussian_fixed(noise_multiplier, clients_per_round, clip=0.1)


def _tree(clients_per_round):
    return _Private.tree_aggregation(
        noise_multiplier=0.1,
        clients_per_round=clients_per_round,
        l2_norm_clip=1.0,
        record_specs=tff.types.type_to_tf_tensor_specs(_TYPE),
    )


def _adaptive_sum(expected_num_records):
    return _Private(
        tensorflow_privacy.QuantileAdaptiveClipSumQuery(
            initial_l2_norm_clip=0.1,
            noise_multiplier=0.5,
            target_unclipped_quantile=0.5,
            learning_rate=0.2,
            clipped_count_stddev=0.5,
            expected_num_records=expected_num_records,
        )
    )


class _Mapped(tff.aggregators.UnweightedAggregationFactory):
    """Changes every tensor, and lets another factory aggregate what comes of it."""

    def __init__(self, change, inner):
        self._change, self._inner = change, inner

    def create(self, value_type):
        inner = self._inner.create(value_type)

        @tff.tensorflow.computation(value_type)
        def change(value):
            return tf.nest.map_structure(self._change, value)

        @tff.federated_computation(
            inner.initialize.type_signature.result, tff.FederatedType(value_type, tff.CLIENTS)
        )
        def next_fn(state, value):
            return inner.next(state, tff.federated_map(change, value))

        return tff.templates.AggregationProcess(inner.initialize, next_fn)


_SUMS = {
    "secure, wide bounds": tff.aggregators.SecureSumFactory(100.0, -5.0),
    "zeroed": tff.aggregators.zeroing_factory(0.01, tff.aggregators.clipping_factory(0.01, _SUM)),
    "rotated": tff.aggregators.HadamardTransformFactory(_SUM),
    "noise as long as the clip": _gaussian(1.0, 1.0),
    "too much noise to tell": _gaussian(50.0, 1.0),
    "correlated noise": _tree(1.0),
    "adaptive clip that counts ten clients": _adaptive_sum(10.0),
}


@pytest.mark.parametrize("factory", _SUMS.values(), ids=_SUMS)
def test_a_sum_is_taken(factory):
    """An adaptive clip's number divides the count of those not clipped, and not the sum."""
    assert isinstance(create_inner_sum(factory, _TYPE), tff.templates.AggregationProcess)


_NO_SUMS = {
    "secure mean": (
        tff.aggregators.UnweightedMeanFactory(tff.aggregators.SecureSumFactory(1.0)),
        0.5,
    ),
    "rounded mean": (_Mapped(lambda x: tf.round(2.0 * x) / 2.0, _MEAN), 0.5),
    "compression_aggregator": (tff.learning.compression_aggregator(weighted=False), 0.5),
    "a hundredth, with noise": (_gaussian(1.0, 100.0), 0.01),
    "adaptive tenth": (_Private.gaussian_adaptive(0.1, 10.0), 0.1),
    "correlated noise, a tenth": (_tree(10.0), 0.1),
}


@pytest.mark.parametrize("factory, factor", _NO_SUMS.values(), ids=_NO_SUMS)
def test_what_shortens_the_sum_is_refused(factory, factor):
    """The mean of two equal values is 1/2 of their sum; with `clients_per_round=c` it is 1/c."""
    with pytest.raises(ValueError, match="inner_factory .*SumFactory") as refused:
        create_inner_sum(factory, _TYPE)
    words = str(refused.value).split()
    assert float(words[words.index("times") - 1]) == pytest.approx(factor, rel=0.25)


def test_noise_is_known_of_a_single_number_too():
    """With noise as long as the clip, the sum of two values is anything."""
    value_type = tff.to_type([(np.float32, [1])])
    create_inner_sum(_gaussian(1.0, 1.0), value_type)
    with pytest.raises(ValueError, match="inner_factory"):
        create_inner_sum(_gaussian(0.5, 10.0), value_type)


@pytest.mark.parametrize("dtype", [np.float64, tf.bfloat16.as_numpy_dtype])
def test_a_weighting_around_a_mean_is_refused(dtype):
    """Of any float type: half precision rounds what is tried, and so what it is compared with."""
    value_type = tff.to_type([(dtype, [1000])])
    weighting = tff_weights.uniform_weighting()
    create_inner_sum(tff_weights.TrimmedSumFactory(0.1), value_type)
    with pytest.raises(ValueError, match="inner_factory"):
        tff_weights.WeightingFactory(weighting, _Mapped(lambda x: x / 2, _SUM)).create(
            value_type, tff.TensorType(np.float32)
        )
