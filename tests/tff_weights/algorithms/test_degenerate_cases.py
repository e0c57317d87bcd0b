"""Where an algorithm has nothing to weigh by, it is FedAvg; and what parts put together give."""

import dataclasses
import warnings

import numpy as np
import pytest
from built import built, empty_data, five_rounds, weights_of
from reference.federation import CLIENTS, LOCAL_TRAINING, cohort_data
from reference.problem import NUM_WEIGHTS, model_weights

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
        (tw.build_fed_fa_mo, {"server_momentum": 0.0}, "uniform", {}),
        (tw.build_fed_nova, {}, "num_examples", _EQUAL_STEPS),
        (tw.build_term, {"tilt": 0.0, "example_tilt": 1e-6}, "num_examples", {}),
        (tw.build_afl, {**_ALL, "mixture_rate": 0.0}, "uniform", {}),
        (tw.build_fed_mgda, {"epsilon": 0.0, "normalize": False}, "num_examples", {}),
        (tw.build_prop_fair, {"baseline": 1e6, "local_training": _FAST}, "num_examples", {}),
    ],
    ids=[*("no server momentum", "equal steps", "τ→0", "γ=0", "ε=0", "M→∞")],
)
def test_five_rounds_are_those_of_fed_avg(build, arguments, weighting, of_both):
    expected = five_rounds(tw.build_fed_avg, weighting=weighting, **of_both).trajectory
    found = five_rounds(build, **arguments, **of_both).trajectory
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("build", "arguments"),
    [
        (tw.build_fed_avg, {"weighting": "uniform"}),
        (tw.build_wei_avg, {}),
        (tw.build_fed_mgda, {"epsilon": 1.0}),
        (tw.build_term, {}),
    ],
)
def test_a_client_without_examples_is_left_out(build, arguments):
    """Also where the weighting does not ask for the number of examples, as WeiAvg's."""
    process = built(build, **arguments)
    state, cohort = process.initialize(), cohort_data([0, 1])
    alone, beside = process.next(state, cohort), process.next(state, [empty_data(2), *cohort])
    np.testing.assert_allclose(
        weights_of(process, beside.state), weights_of(process, alone.state), atol=1e-6
    )
    found = beside.metrics["aggregator"]["cohort"]
    assert found["left_out"]["no_examples"] == found["num_left_out"] == 1
    assert [*found["reports"]] == [*alone.metrics["aggregator"]["cohort"]["reports"]]


@pytest.mark.parametrize(
    ("build", "arguments"),
    [
        (tw.build_fed_cav, {"audit": True}),
        (tw.build_fed_cav, {"audit": True, "audit_by": "client", **_ALL}),
        (tw.build_fed_mgda, {}),
        (tw.build_fed_fv, {}),
    ],
)
@pytest.mark.parametrize("cohort", [[], [empty_data(1)]], ids=["empty", "without examples"])
def test_a_round_without_clients_changes_no_model(build, arguments, cohort):
    """Nor does FedCav's audit undo the round before."""
    process = built(build, **arguments)
    state = process.next(process.initialize(), cohort_data([0, 1])).state
    after = process.next(state, cohort).state
    np.testing.assert_array_equal(weights_of(process, after), weights_of(process, state))


def test_momentum_begins_again_with_a_model_that_is_set_in_a_first_state():
    """At a rate of nearly 0 the model stays where it was set, also in momentum rounds."""
    slow = dataclasses.replace(LOCAL_TRAINING, learning_rate=1e-9)
    process = built(tw.build_fed_fa_mo, local_training=slow, momentum_every_rounds=2)
    hundred = model_weights(np.full(NUM_WEIGHTS, 100.0))
    state = process.set_model_weights(process.initialize(), hundred)
    for _ in range(4):
        state = process.next(state, cohort_data([0])).state
        np.testing.assert_allclose(weights_of(process, state), 100, atol=1e-3)


def test_fed_prox_without_strength_warns():
    with pytest.warns(UserWarning, match="proximal_strength=0.*FedAvg"):
        built(tw.build_fed_prox, proximal_strength=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        built(tw.build_fed_prox, proximal_strength=0.1)
