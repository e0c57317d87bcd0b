"""Where an algorithm has nothing to weigh by, it is FedAvg; and what parts put together give."""

import dataclasses
import warnings

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from built import built, five_rounds, weights_of
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, cohort_data, run_rounds
from reference.problem import NUM_WEIGHTS, functional_model

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
        (tw.build_fed_nova, {}, "num_examples", _EQUAL_STEPS),
        (tw.build_term, {"tilt": 0.0}, "num_examples", {}),
        (tw.build_term, {"tilt": 0.0, "example_tilt": 1e-6}, "num_examples", {}),
        (tw.build_fed_eba, {"temperature": 1e9}, "uniform", {}),
        (tw.build_afl, {**_ALL, "mixture_rate": 0.0}, "uniform", {}),
        (tw.build_fed_disco, {"discount": 0.0, "offset": 0.0}, "num_examples", {}),
        (tw.build_fed_mgda, {"epsilon": 0.0, "normalize": False}, "num_examples", {}),
        (tw.build_fed_fv, {"alpha": 1.0}, "uniform", {}),
        (tw.build_prop_fair, {"baseline": 1e6, "local_training": _FAST}, "num_examples", {}),
    ],
    ids=[
        *("q=0", "no server momentum", "exponent 0", "equal steps"),
        *("t=0", "τ→0", "T→∞", "γ=0", "a=b=0", "ε=0", "α=1", "M→∞"),
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


@pytest.mark.parametrize("build", [tw.build_aagg_ff_s, tw.build_aagg_ff_d])
def test_with_equal_losses_it_is_the_simple_mean(build):
    """From zero weights every example loses ln 3, whoever holds it."""
    process, uniform = built(build, **_ALL), built(tw.build_fed_avg, weighting="uniform")
    zeros = functional_model(np.zeros(NUM_WEIGHTS)).initial_weights[0]
    found, expected = (
        weights_of(each, each.next(state, cohort_data(COHORTS[0])).state)
        for each in (process, uniform)
        for state in [
            each.set_model_weights(each.initialize(), tff.learning.models.ModelWeights(zeros, ()))
        ]
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)
