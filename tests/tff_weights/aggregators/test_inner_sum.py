from __future__ import annotations

import pytest
import tensorflow as tf
import tensorflow_federated as tff
import tensorflow_privacy

from tff_weights.aggregators.inner_sum import inner_sum

_SPECS = tf.TensorSpec([2])


def test_the_chosen_factory_is_taken():
    chosen = tff.aggregators.SecureSumFactory(1.0)

    assert inner_sum(chosen) is chosen


def test_without_a_choice_it_is_a_plain_sum():
    assert isinstance(inner_sum(None), tff.aggregators.SumFactory)


@pytest.mark.parametrize("wrong", [tff.aggregators.MeanFactory(), 1.0])
def test_what_weighs_by_itself_is_refused(wrong):
    with pytest.raises(TypeError, match=f"inner_factory .*got {type(wrong).__name__}"):
        inner_sum(wrong)


def _gaussian(clients_per_round):
    return tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(
        noise_multiplier=0.1, clients_per_round=clients_per_round, clip=1.0
    )


@pytest.mark.parametrize(
    "build",
    [
        _gaussian,
        lambda count: tff.aggregators.DifferentiallyPrivateFactory.gaussian_adaptive(
            noise_multiplier=0.1, clients_per_round=count, clipped_count_stddev=1.0
        ),
        lambda count: tff.aggregators.DifferentiallyPrivateFactory.tree_aggregation(
            noise_multiplier=0.1, clients_per_round=count, l2_norm_clip=1.0, record_specs=_SPECS
        ),
    ],
    ids=["fixed", "adaptive", "tree"],
)
def test_a_sum_that_is_divided_by_the_clients_is_refused(build):
    """Ten clients' updates, whose weights sum to 1, would move the model by a tenth."""
    with pytest.raises(ValueError, match="clients_per_round=1, got 10"):
        inner_sum(build(10.0))
    chosen = build(1.0)
    assert inner_sum(chosen) is chosen


@pytest.mark.parametrize("clients_per_round", [1.0, 10.0])
def test_an_adaptive_clip_may_count_any_number_of_clients(clients_per_round):
    """That number divides the count of those that are not clipped, and is no divisor of the sum."""
    query = tensorflow_privacy.QuantileAdaptiveClipSumQuery(
        initial_l2_norm_clip=0.1,
        noise_multiplier=0.5,
        target_unclipped_quantile=0.5,
        learning_rate=0.2,
        clipped_count_stddev=0.5,
        expected_num_records=clients_per_round,
    )
    chosen = tff.aggregators.DifferentiallyPrivateFactory(query)

    assert inner_sum(chosen) is chosen


def test_an_adaptive_clip_whose_sum_is_divided_besides_is_refused():
    """The message names what takes its place."""
    with pytest.raises(ValueError, match="got 10.0; .*QuantileAdaptiveClipSumQuery"):
        inner_sum(
            tff.aggregators.DifferentiallyPrivateFactory.gaussian_adaptive(
                noise_multiplier=0.1, clients_per_round=10.0
            )
        )


def test_an_average_of_whoever_comes_is_refused():
    query = tensorflow_privacy.NoPrivacyAverageQuery()
    with pytest.raises(ValueError, match="got 'the number of clients'"):
        inner_sum(tff.aggregators.DifferentiallyPrivateFactory(query))
