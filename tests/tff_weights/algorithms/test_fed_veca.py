"""Tests of `tff_weights.algorithms.fed_veca`."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from built import broken_data, built, empty_data, weights_of
from reference import algorithms
from reference.federation import CLIENTS, cohort_data, run_rounds, simulate_rounds
from reference.problem import initial_vector, to_vector

from tff_weights import LocalTraining, build_fed_veca

_NUM_CLIENTS = len(CLIENTS)
_EVERYONE = range(_NUM_CLIENTS)
_TRAINING = LocalTraining(learning_rate=0.1, batch_size=10, steps=2, shuffle_seed=17)
# Steps this long raise the loss now and then.
_LONG_STEPS = dataclasses.replace(_TRAINING, learning_rate=1.0)


def _build(**arguments):
    given = {"local_training": _TRAINING, "num_clients": _NUM_CLIENTS, **arguments}
    return built(build_fed_veca, **given)


def _compared(local_training, cohorts, **arguments):
    """The weights of every round, what it publishes and what it must: all as near as NumPy's."""
    log = []

    def one_round(w, cohort, memory):
        memory.setdefault("log", log)
        return algorithms.fed_veca(w, cohort, memory, **arguments)

    # The simulation draws a fresh batch at every step where it is told so.
    fresh = dataclasses.replace(local_training, fresh_batches=True)
    expected = simulate_rounds(one_round, fresh, cohorts)
    trajectory, metrics, _ = run_rounds(_build(local_training=local_training, **arguments), cohorts)
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
    for of_round, of_log in zip(metrics, log):
        published, clients = of_round["client_work"], of_log["clients"]
        assert sorted(published["client_index"]) == sorted(clients)
        for name in ("num_steps", "beta", "delta", "a"):
            of_name = [clients[index][name] for index in published["client_index"]]
            np.testing.assert_allclose(published[name], of_name, rtol=2e-3, err_msg=name)
        for name in ("smoothness", "eta_tau_smoothness"):
            np.testing.assert_allclose(published[name], of_log[name], rtol=2e-3, err_msg=name)
    return trajectory, metrics, log


def _steps_of_next_round(state):
    return state.client_work.server.own.num_steps


@pytest.mark.parametrize(
    ("local_training", "cohorts", "arguments"),
    [
        pytest.param(
            *(_TRAINING, [_EVERYONE] * 5, {"alpha": 0.9, "most_steps": 5}), marks=pytest.mark.long
        ),
        (_TRAINING, [[0, 1, 2], [2, 3], [1, 2], [4, 0, 1]], {}),
        (
            dataclasses.replace(_TRAINING, compile_with_xla=True),
            [_EVERYONE] * 3,
            {"beta_gradient": "mini_batch", "acceptance_loss": "averaged_model"},
        ),
        pytest.param(_LONG_STEPS, [_EVERYONE] * 5, {"reject_worse": False}, marks=pytest.mark.long),
    ],
    ids=["bounded", "partial cohorts", "β of the mini-batch", "not rejecting"],
)
def test_five_rounds(local_training, cohorts, arguments):
    _, _, log = _compared(local_training, cohorts, **arguments)
    steps = {entry["num_steps"] for of_round in log for entry in of_round["clients"].values()}
    assert len(steps) > 1


def test_a_round_that_raises_the_loss_is_rejected():
    """Round by round, accepted means that w moved."""
    trajectory, metrics, log = _compared(_LONG_STEPS, [_EVERYONE] * 5)
    accepted = [of_round["accepted"] for of_round in log]
    assert accepted[0] and not all(accepted)
    before = initial_vector()
    for weights, of_round, of_log in zip(trajectory, metrics, log):
        published = of_round["aggregator"]["cohort"]["weighting"]
        assert published["accepted"] == of_log["accepted"]
        np.testing.assert_allclose(published["estimated_loss"], of_log["estimated_loss"], rtol=1e-3)
        assert np.allclose(weights, before, atol=1e-6) == (not of_log["accepted"])
        before = weights


def test_after_a_rejected_round_clients_take_the_gradients_they_have_kept(tmp_path):
    """The store changes no number. If it is wrong, β of who was in the rejected round changes.

    Clients 3 and 4 miss rounds, so they may have kept the gradient of an older model.
    """
    plain = _build(local_training=_LONG_STEPS)
    storing = _build(local_training=_LONG_STEPS, store_dir=tmp_path / "[a*")
    states = [plain.initialize(), storing.initialize()]
    for present in (_EVERYONE, [0, 1, 2, 5], [0, 1, 3], [0, 1, 2], [0, 1, 3, 4]):
        before, cohort = states[1], cohort_data(present)
        expected, found = plain.next(states[0], cohort), storing.next(before, cohort)
        tf.nest.map_structure(np.testing.assert_array_equal, found.metrics, expected.metrics)
        states = [expected.state, found.state]
    assert not found.metrics["aggregator"]["cohort"]["weighting"]["accepted"]
    for path in (tmp_path / "[a*").glob("*/*"):
        vector = tf.io.parse_tensor(path.read_bytes(), tf.float32)
        path.write_bytes(tf.io.serialize_tensor(vector / 2).numpy())
    wrong = storing.next(before, cohort).metrics["client_work"]
    changed = wrong["beta"] != found.metrics["client_work"]["beta"]
    assert set(wrong["client_index"][changed]) == {0, 1}


def test_the_least_a_takes_twenty_steps():
    """Eq. 16 for a client that is alone: ⌊A / (A − 0.95 A)⌋ = 1 / 0.05 = 20, whatever A is.

    Who does not take part keeps its steps.
    """
    training = dataclasses.replace(_TRAINING, steps=np.int64(2))
    _, _, state = run_rounds(_build(local_training=training), [[4]] * 2)
    np.testing.assert_array_equal(_steps_of_next_round(state), [2, 2, 2, 2, 20, 2])


@pytest.mark.parametrize("other", [empty_data(0), broken_data(0)], ids=["empty", "not finite"])
def test_a_client_without_examples_or_finite_ones_changes_nothing(other):
    """It has neither β nor δ, and keeps its steps."""
    process = _build()
    states = [process.initialize()] * 2
    for _ in range(2):
        states = [
            process.next(states[0], cohort_data([1, 2])).state,
            process.next(states[1], [other, *cohort_data([1, 2])]).state,
        ]
    clean, with_other = (weights_of(process, state) for state in states)
    np.testing.assert_allclose(with_other, clean, atol=1e-6)
    np.testing.assert_array_equal(*map(_steps_of_next_round, states))


def test_a_round_where_nobody_is_left_changes_nothing():
    process = _build()
    state = process.next(process.initialize(), cohort_data([1, 2])).state
    after = process.next(state, [broken_data(1)]).state
    np.testing.assert_array_equal(weights_of(process, after), weights_of(process, state))
    before, after = (s.client_work.server.own for s in (state, after))
    np.testing.assert_array_equal(after.num_steps, before.num_steps)
    assert after.smoothness == before.smoothness
    np.testing.assert_array_equal(to_vector(after.gradient), to_vector(before.gradient))
