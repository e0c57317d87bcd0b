"""Where an algorithm has nothing to weigh by, it is FedAvg; and what parts put together give."""

from __future__ import annotations

import dataclasses
import functools
import warnings

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from built import built, five_rounds, weights_of
from reference.federation import (
    CLIENTS,
    COHORTS,
    LOCAL_TRAINING,
    cohort_data,
    run_rounds,
    simulate_rounds,
)
from reference.problem import (
    NUM_WEIGHTS,
    Examples,
    client_data,
    functional_model,
    initial_vector,
)

import tff_weights as tw

_ALL = {"num_clients": len(CLIENTS)}
# As fast as FedAvg where the slope is 10⁻⁶.
_FAST = dataclasses.replace(LOCAL_TRAINING, learning_rate=1e6 * LOCAL_TRAINING.learning_rate)
_EQUAL_STEPS = {
    "local_training": dataclasses.replace(LOCAL_TRAINING, epochs=None, steps=6, momentum=0.9)
}


@pytest.mark.parametrize(
    ("build", "arguments", "weighting", "of_both"),
    [
        (tw.build_q_fed_avg, {"q": 0.0}, "uniform", {}),
        (tw.build_fed_fa_mo, {"server_momentum": 0.0}, "uniform", {}),
        (tw.build_wei_avg, {"exponent": 0.0}, "uniform", {}),
        (
            tw.build_wei_avg,
            {"exponent": 0.0, "multiply_by_num_examples": True},
            "num_examples",
            {},
        ),
        (tw.build_fed_prox, {"proximal_strength": 1e-9}, "num_examples", {}),
        (tw.build_fed_nova, {}, "num_examples", _EQUAL_STEPS),
        (tw.build_term, {"tilt": 0.0}, "num_examples", {}),
        (tw.build_fed_eba, {"temperature": 1e9}, "uniform", {}),
        (tw.build_afl, {**_ALL, "mixture_rate": 0.0}, "uniform", {}),
        (tw.build_fed_disco, {"discount": 0.0, "offset": 0.0}, "num_examples", {}),
        (tw.build_fed_mgda, {"epsilon": 0.0, "normalize": False}, "num_examples", {}),
        (tw.build_fed_fv, {"alpha": 1.0}, "uniform", {}),
        (tw.build_prop_fair, {"baseline": 1e6, "local_training": _FAST}, "num_examples", {}),
    ],
    ids=[
        *("q=0", "no server momentum", "exponent 0", "exponent 0, sizes", "μ→0", "equal steps"),
        *("t=0", "T→∞", "γ=0", "a=b=0", "ε=0", "α=1", "M→∞"),
    ],
)
def test_five_rounds_are_those_of_fed_avg(build, arguments, weighting, of_both):
    expected = five_rounds(tw.build_fed_avg, weighting=weighting, **of_both).trajectory
    found = five_rounds(build, **arguments, **of_both).trajectory
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_fed_prox_without_strength_warns():
    with pytest.warns(UserWarning, match="proximal_strength=0.*FedAvg"):
        built(tw.build_fed_prox, proximal_strength=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        built(tw.build_fed_prox, proximal_strength=0.1)


def test_fed_fa_with_equal_reports_and_without_momentum_is_the_simple_mean():
    """All predictions count as right and all clients take part in both rounds."""
    process = built(
        tw.build_fed_fa,
        **_ALL,
        server_momentum=0.0,
        correct_fn=lambda predictions, labels: tf.ones_like(labels, tf.float32),
    )
    cohorts = [range(len(CLIENTS))] * 2
    uniform = built(tw.build_fed_avg, weighting="uniform")
    np.testing.assert_allclose(
        run_rounds(process, cohorts)[0], run_rounds(uniform, cohorts)[0], atol=1e-6
    )


@pytest.mark.parametrize(
    "process",
    [
        functools.partial(built, tw.build_fed_cav),
        functools.partial(built, tw.build_aagg_ff_s, **_ALL),
        functools.partial(built, tw.build_aagg_ff_d, **_ALL),
    ],
    ids=["fed_cav", "aagg_ff_s", "aagg_ff_d"],
)
def test_with_equal_losses_it_is_the_simple_mean(process):
    """From zero weights every example loses ln 3, whoever holds it."""
    process, uniform = process(), built(tw.build_fed_avg, weighting="uniform")
    zeros = functional_model(np.zeros(NUM_WEIGHTS)).initial_weights[0]
    found, expected = (
        weights_of(each, each.next(state, cohort_data(COHORTS[0])).state)
        for each in (process, uniform)
        for state in [
            each.set_model_weights(each.initialize(), tff.learning.models.ModelWeights(zeros, ()))
        ]
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_fed_adp_averages_identical_updates_by_their_sizes():
    """Of one, two and three copies of the same examples, each visited in one batch."""
    one_batch = dataclasses.replace(LOCAL_TRAINING, batch_size=200)
    data = [
        client_data(i, Examples(np.tile(CLIENTS[2].x, (i + 1, 1)), np.tile(CLIENTS[2].y, i + 1)))
        for i in range(3)
    ]
    processes = (
        built(tw.build_fed_adp, local_training=one_batch, **_ALL),
        built(tw.build_fed_avg, local_training=one_batch),
    )
    states = [process.initialize() for process in processes]
    for _ in range(3):
        outputs = [process.next(state, data) for process, state in zip(processes, states)]
        states = [output.state for output in outputs]
        for output in outputs:
            weights = np.sort(output.metrics["aggregator"]["cohort"]["weights"])
            np.testing.assert_allclose(weights, [1 / 6, 2 / 6, 3 / 6], rtol=1e-5)
        np.testing.assert_allclose(*map(weights_of, processes, states), atol=1e-6)


def test_a_run_that_is_resumed_goes_on_as_if_it_had_not_stopped():
    """The state survives being written as NumPy arrays and read by another process."""
    whole = five_rounds(tw.build_fed_fa, **_ALL).trajectory
    _, _, state = run_rounds(built(tw.build_fed_fa, **_ALL), COHORTS[:2])
    saved = tf.nest.map_structure(np.array, state)
    resumed = tw.build_fed_fa(functional_model(), local_training=LOCAL_TRAINING, **_ALL)
    state = tf.nest.pack_sequence_as(resumed.initialize(), tf.nest.flatten(saved))
    for cohort in COHORTS[2:]:
        state = resumed.next(state, cohort_data(cohort)).state
    np.testing.assert_array_equal(weights_of(resumed, state), whole[-1])


def test_models_that_hold_variables_and_examples_that_are_pairs():
    def model_fn():
        return tff.learning.models.model_from_functional(functional_model(pairs=True))

    process = tw.build_fed_fa(model_fn, local_training=LOCAL_TRAINING, **_ALL)
    state = process.initialize()
    for cohort in COHORTS[:2]:
        data = [client_data(index, CLIENTS[index], pairs=True) for index in cohort]
        state = process.next(state, data).state
    expected = five_rounds(tw.build_fed_fa, **_ALL).trajectory[1]
    np.testing.assert_allclose(weights_of(process, state), expected, atol=1e-5)


def test_a_weighting_of_ones_own():
    """The worst loss alone counts, as in agnostic federated learning."""
    worst = tw.Weighting(
        "worst",
        ("loss_before",),
        lambda history, reports: tw.Weighed(
            tf.one_hot(tf.argmax(reports["loss_before"]), tf.size(reports["loss_before"])), history
        ),
    )

    def of_the_worst(w, cohort, memory):
        return max(cohort, key=lambda client: client.loss(w)).train(w).weights

    process = tw.compose_algorithm(
        functional_model(), local_training=LOCAL_TRAINING, weighting=worst
    )
    trajectory, metrics, _ = run_rounds(process, COHORTS[:3])
    expected = simulate_rounds(of_the_worst, cohorts=COHORTS[:3])
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
    assert metrics[0]["aggregator"]["cohort"]["effective_participants"] == pytest.approx(1)


def test_fed_fas_weights_with_a_proximal_term_clipping_and_adam():
    """Parts that no algorithm puts together fit together; clipping at 10⁶ clips nothing.

    Adam's first step is the learning rate in every direction in which there is an update.
    """
    adam = tff.learning.optimizers.build_adam(0.01)
    process = tw.compose_algorithm(
        functional_model(),
        local_training=dataclasses.replace(LOCAL_TRAINING, proximal_strength=0.5),
        weighting=tw.fed_fa_weighting(**_ALL),
        server_update=functools.partial(
            tff.learning.templates.build_apply_optimizer_finalizer, adam
        ),
        inner_factory=tff.aggregators.clipping_factory(1e6, tff.aggregators.SumFactory()),
    )
    (weights,), (metrics,), _ = run_rounds(process, COHORTS[:1])
    np.testing.assert_allclose(np.abs(weights - initial_vector()), 0.01, rtol=1e-2)
    assert metrics["aggregator"]["inner"]["clipped_count"] == 0


def test_apply_update_takes_the_aggregate():
    """w_{t+1} = w_t − Δ: 5 − 2 = 3, and what does not train stays."""
    weights_type = tff.to_type(tff.learning.models.ModelWeights((np.float32,), (np.float32,)))
    finalizer = tw.apply_update(weights_type)
    weights = tff.learning.models.ModelWeights((np.float32(5),), (np.float32(1),))
    output = finalizer.next(finalizer.initialize(), weights, (np.float32(2),))
    assert tuple(output.result.trainable) == (3.0,)
    assert tuple(output.result.non_trainable) == (1.0,)
