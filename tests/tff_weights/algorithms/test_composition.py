"""Tests of `tff_weights.algorithms.composition`, and of what all algorithms have in common."""

from __future__ import annotations

import collections
import dataclasses
import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference.federation import (
    CLIENTS,
    COHORTS,
    LOCAL_TRAINING,
    cohort_data,
    run_rounds,
    simulate_rounds,
)
from reference.problem import Examples, client_data, functional_model, initial_vector, to_vector

from tff_weights import (
    Weighed,
    Weighting,
    apply_update,
    build_centralized_sgd,
    build_fed_adp,
    build_fed_avg,
    build_fed_cav,
    build_fed_fa,
    build_fed_fa_mo,
    build_fed_nova,
    build_fed_prox,
    build_q_fed_avg,
    build_wei_avg,
    compose_algorithm,
    fed_fa_weighting,
    uniform_weighting,
)

_BUILD = {
    "fed_avg": build_fed_avg,
    "fed_prox": functools.partial(build_fed_prox, proximal_strength=0.1),
    "q_fed_avg": build_q_fed_avg,
    "fed_fa": functools.partial(build_fed_fa, num_clients=len(CLIENTS), momentum_every_rounds=2),
    "fed_fa_mo": build_fed_fa_mo,
    "fed_adp": functools.partial(build_fed_adp, num_clients=len(CLIENTS)),
    "wei_avg": build_wei_avg,
    "fed_cav": functools.partial(build_fed_cav, audit=True),
    "fed_nova": build_fed_nova,
    "centralized_sgd": build_centralized_sgd,
}


@pytest.mark.parametrize("name", _BUILD)
def test_each_algorithm_is_a_process_of_tffs(name):
    """Its state goes in as it came out, and its clients' data are those of `client_data`."""
    process = _BUILD[name](functional_model(), local_training=LOCAL_TRAINING)
    assert isinstance(process, tff.templates.IterativeProcess)
    assert isinstance(process, tff.learning.templates.LearningProcess)
    signature = process.next.type_signature
    state = process.initialize.type_signature.result
    assert state.placement is tff.SERVER
    tff.test.assert_types_identical(signature.parameter[0], state)
    tff.test.assert_types_identical(signature.result.state, state)
    tff.test.assert_types_identical(
        state.member.global_model_weights,
        tff.to_type(
            tff.learning.models.ModelWeights(
                (tff.TensorType(np.float32, [4, 3]), tff.TensorType(np.float32, [3])), ()
            )
        ),
    )
    tff.test.assert_types_identical(
        signature.parameter[1],
        tff.FederatedType(
            collections.OrderedDict(
                client_index=tff.SequenceType(np.int64),
                examples=tff.SequenceType(
                    collections.OrderedDict(
                        x=tff.TensorType(np.float32, [None, 4]),
                        y=tff.TensorType(np.int32, [None]),
                    )
                ),
            ),
            tff.CLIENTS,
        ),
    )
    metrics = signature.result.metrics
    assert metrics.placement is tff.SERVER
    assert {"num_participants", "num_left_out", "weights"} <= set(
        tff.structure.name_list(metrics.member["aggregator"]["cohort"])
    )


def test_every_client_of_the_cohort_is_in_the_metrics():
    """Which weight was whose must be seen from a round's metrics, with any weighting."""
    _, (metrics,), _ = run_rounds(
        build_fed_avg(functional_model(), local_training=LOCAL_TRAINING), [[3, 1, 5]]
    )
    reports = metrics["aggregator"]["cohort"]["reports"]
    assert sorted(reports["client_index"]) == [1, 3, 5]


# The first of each kind of history. FedCav's audit takes such a model for broken; its own tests say
# what it does then.
_WITH_HISTORY = ("fed_avg", "fed_fa", "fed_adp")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in _WITH_HISTORY else pytest.mark.long)
        for name in _BUILD
        if name != "fed_cav"
    ],
)
def test_a_round_of_which_nothing_is_left_changes_neither_model_nor_history(name):
    process = _BUILD[name](functional_model(), local_training=LOCAL_TRAINING)
    first = process.next(process.initialize(), cohort_data([0])).state
    broken = Examples(np.full_like(CLIENTS[1].x, np.nan), CLIENTS[1].y)
    output = process.next(first, [client_data(1, broken)])
    np.testing.assert_array_equal(
        to_vector(process.get_model_weights(output.state).trainable),
        to_vector(process.get_model_weights(first).trainable),
    )
    np.testing.assert_equal(output.state.aggregator["history"], first.aggregator["history"])
    assert output.metrics["aggregator"]["cohort"]["num_left_out"] == 1


def test_the_order_of_the_cohort_does_not_matter():
    process = _BUILD["fed_fa"](functional_model(), local_training=LOCAL_TRAINING)
    forwards, _, _ = run_rounds(process, COHORTS[:3])
    backwards, _, _ = run_rounds(process, [cohort[::-1] for cohort in COHORTS[:3]])
    np.testing.assert_allclose(forwards, backwards, atol=1e-5)


def test_a_run_that_is_resumed_goes_on_as_if_it_had_not_stopped():
    """The state survives being written as NumPy arrays and read by another process."""
    process = _BUILD["fed_fa"](functional_model(), local_training=LOCAL_TRAINING)
    trajectory, _, _ = run_rounds(process, COHORTS[:4])
    _, _, state = run_rounds(process, COHORTS[:2])
    saved = tf.nest.map_structure(np.array, state)
    resumed = _BUILD["fed_fa"](functional_model(), local_training=LOCAL_TRAINING)
    state = tf.nest.pack_sequence_as(resumed.initialize(), tf.nest.flatten(saved))
    for cohort in COHORTS[2:4]:
        state = resumed.next(state, cohort_data(cohort)).state
    np.testing.assert_array_equal(
        to_vector(resumed.get_model_weights(state).trainable), trajectory[-1]
    )


def test_the_defaults_are_a_plain_sum_that_is_applied():
    process = compose_algorithm(
        functional_model(), local_training=LOCAL_TRAINING, weighting=uniform_weighting()
    )
    expected, _, _ = run_rounds(
        build_fed_avg(functional_model(), local_training=LOCAL_TRAINING, weighting="uniform"),
        COHORTS[:2],
    )
    np.testing.assert_array_equal(run_rounds(process, COHORTS[:2])[0], expected)


def test_a_weighting_of_ones_own():
    """The worst loss alone counts, as in agnostic federated learning."""
    worst = Weighting(
        "worst",
        ("loss_before",),
        lambda history, reports: Weighed(
            tf.one_hot(tf.argmax(reports["loss_before"]), tf.size(reports["loss_before"])), history
        ),
    )

    def of_the_worst(w, cohort, memory):
        return max(cohort, key=lambda client: client.loss(w)).train(w).weights

    process = compose_algorithm(functional_model(), local_training=LOCAL_TRAINING, weighting=worst)
    trajectory, metrics, _ = run_rounds(process, COHORTS[:3])
    np.testing.assert_allclose(
        trajectory, simulate_rounds(of_the_worst, cohorts=COHORTS[:3]), atol=1e-4
    )
    assert metrics[0]["aggregator"]["cohort"]["effective_participants"] == pytest.approx(1)


def test_fed_fas_weights_with_a_proximal_term_clipping_and_adam():
    """Parts that no algorithm puts together fit together; clipping at 10⁶ clips nothing.

    Adam's first step is the learning rate in every direction in which there is an update.
    """
    adam = tff.learning.optimizers.build_adam(0.01)
    process = compose_algorithm(
        functional_model(),
        local_training=dataclasses.replace(LOCAL_TRAINING, proximal_strength=0.5),
        weighting=fed_fa_weighting(num_clients=len(CLIENTS)),
        server_update=functools.partial(
            tff.learning.templates.build_apply_optimizer_finalizer, adam
        ),
        inner_factory=tff.aggregators.clipping_factory(1e6, tff.aggregators.SumFactory()),
    )
    (weights,), (metrics,), _ = run_rounds(process, COHORTS[:1])
    np.testing.assert_allclose(np.abs(weights - initial_vector()), 0.01, rtol=1e-2)
    assert metrics["aggregator"]["inner"]["clipped_count"] == 0


def test_clipping_inside_an_algorithm_bounds_the_step():
    """Three clients' weighted updates of at most 10⁻³ each."""
    process = build_fed_avg(
        functional_model(),
        local_training=LOCAL_TRAINING,
        inner_factory=tff.aggregators.clipping_factory(1e-3, tff.aggregators.SumFactory()),
    )
    (weights,), (metrics,), _ = run_rounds(process, COHORTS[:1])
    assert 1e-4 < np.linalg.norm(weights - initial_vector()) < 3e-3 * 1.01
    assert metrics["aggregator"]["inner"]["clipped_count"] == 3


def test_models_that_hold_variables_and_examples_that_are_pairs():
    def model_fn():
        return tff.learning.models.model_from_functional(functional_model(pairs=True))

    process = build_fed_fa(model_fn, local_training=LOCAL_TRAINING, num_clients=len(CLIENTS))
    state = process.initialize()
    for cohort in COHORTS[:2]:
        data = [client_data(index, CLIENTS[index], pairs=True) for index in cohort]
        state = process.next(state, data).state
    expected, _, _ = run_rounds(
        build_fed_fa(functional_model(), local_training=LOCAL_TRAINING, num_clients=len(CLIENTS)),
        COHORTS[:2],
    )
    np.testing.assert_allclose(
        to_vector(process.get_model_weights(state).trainable), expected[-1], atol=1e-5
    )


def test_apply_update_takes_the_aggregate():
    """w_{t+1} = w_t − Δ: 5 − 2 = 3, and what does not train stays."""
    weights_type = tff.to_type(tff.learning.models.ModelWeights((np.float32,), (np.float32,)))
    finalizer = apply_update(weights_type)
    weights = tff.learning.models.ModelWeights((np.float32(5),), (np.float32(1),))
    output = finalizer.next(finalizer.initialize(), weights, (np.float32(2),))
    assert tuple(output.result.trainable) == (3.0,)
    assert tuple(output.result.non_trainable) == (1.0,)


def test_other_things_than_models_are_refused():
    with pytest.raises(TypeError, match="model .*NoneType"):
        build_fed_avg(None, local_training=LOCAL_TRAINING)
