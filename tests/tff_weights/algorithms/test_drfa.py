"""Tests of `tff_weights.algorithms.drfa`."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import tensorflow as tf
from built import broken_data, built, empty_data, published, unknown_data, weights_of
from reference import algorithms
from reference.federation import CLIENTS, LOCAL_TRAINING, cohort_data
from reference.problem import NUM_WEIGHTS, Examples, client_data, initial_vector, model_weights
from reference.simulation import Participant

import tff_weights as tw
from tff_weights.client_work.drfa import DrfaWork

_ALL = {"num_clients": len(CLIENTS), "clients_per_round": 4}
_EVERYBODY = range(len(CLIENTS))


def _own(state):
    return state.client_work.server.own


def _with_own(state, **drawn):
    server = state.client_work.server._replace(own=_own(state)._replace(**drawn))
    return state._replace(client_work=state.client_work._replace(server=server))


@pytest.mark.parametrize(
    "training",
    [
        pytest.param(LOCAL_TRAINING, marks=pytest.mark.long),
        dataclasses.replace(LOCAL_TRAINING, compile_with_xla=True),
        dataclasses.replace(LOCAL_TRAINING, epochs=None, steps=5),
    ],
    ids=["of as many epochs", "compiled", "of as many steps"],
)
def test_five_rounds(training):
    """Against NumPy, which is told what was drawn; whoever was not drawn may be given or not."""
    process = built(tw.build_drfa, local_training=training, mixture_rate=0.02, **_ALL)
    state, w, memory, places = process.initialize(), initial_vector(), {}, set()
    for round_number in range(5):
        own = _own(state)
        everybody = [Participant(i, CLIENTS[i], round_number, training) for i in _EVERYBODY]
        drawn = {name: getattr(own, name) for name in ("trained", "evaluated", "place")}
        w = algorithms.drfa(w, everybody, memory, mixture_rate=0.02, **drawn)
        given = _EVERYBODY if round_number % 2 else tw.clients_of_round(state)
        state = process.next(state, cohort_data(given)).state
        np.testing.assert_allclose(weights_of(process, state), w, atol=1e-4)
        np.testing.assert_allclose(_own(state).mixture, memory["mixture"], atol=1e-4)
        places.add(float(own.place))
    assert len(places) == 5 and np.ptp(memory["mixture"]) > 0.1


def test_a_round_by_hand():
    """Three clients with one example each, x = (1, 0, 0, 0), of the classes 0, 1 and 2; w_0 = 0.

    Client 0 is drawn twice. A step of 0.3 takes it to (0.2, −0.1, −0.1) in the weights of the
    first feature and in the biases alike, and after the only step this is model and snapshot.
    There the logits are (0.4, −0.2, −0.2), so the losses of the clients 0 and 1 are
    ln(1 + 2 e^−0.6) and 0.6 more. With γ = 0.1 and N/m = 3/2 each λ rises by 0.15 times its loss,
    the third's by nothing, and all fall by the mean of that.
    """
    training = tw.LocalTraining(learning_rate=0.3, batch_size=1, steps=1)
    given = {"num_clients": 3, "clients_per_round": 2, "mixture_rate": 0.1}
    process = built(tw.build_drfa, local_training=training, **given)
    state = process.set_model_weights(process.initialize(), model_weights(np.zeros(NUM_WEIGHTS)))
    drawn = {"trained": np.int32([0, 0]), "evaluated": np.int32([1, 0]), "place": np.float32(0.7)}
    x = np.eye(1, 4, dtype=np.float32)
    clients = [client_data(i, Examples(x, np.array([i], np.int32))) for i in range(3)]
    output = process.next(_with_own(state, **drawn), clients)
    expected = np.zeros(NUM_WEIGHTS)
    expected[:3] = expected[-3:] = [0.2, -0.1, -0.1]
    np.testing.assert_allclose(weights_of(process, output.state), expected, atol=1e-6)
    loss = math.log(1 + 2 * math.exp(-0.6))
    rise = 0.15 * np.array([loss, loss + 0.6, 0])
    np.testing.assert_allclose(_own(output.state).mixture, 1 / 3 + rise - rise.mean(), rtol=1e-5)
    assert published(output.metrics, "num_draws") == {0: 2, 1: 0, 2: 0}


def test_who_is_broken_missing_or_unknown_does_not_count():
    """Of those drawn to train, 1 alone is left; of those to be evaluated, 3 alone."""
    process = built(tw.build_drfa, mixture_rate=0.02, **_ALL)
    drawn = {"trained": np.int32([0, 1, 5, 2]), "evaluated": np.int32([0, 2, 3, 5])}
    state = _with_own(process.initialize(), **drawn)
    output = process.next(state, [broken_data(0), unknown_data(len(CLIENTS)), *cohort_data([1, 3])])
    alone = Participant(1, CLIENTS[1], 0, LOCAL_TRAINING).train(initial_vector()).weights
    np.testing.assert_allclose(weights_of(process, output.state), alone, atol=1e-5)
    assert output.metrics["aggregator"]["cohort"]["num_left_out"] == 2
    mixture = _own(output.state).mixture
    assert np.argmax(mixture) == 3 and len({*np.delete(mixture, 3).round(6)}) == 1
    beside = process.next(state, [empty_data(2), *cohort_data([1, 3])])
    np.testing.assert_allclose(_own(beside.state).mixture, mixture, rtol=1e-6)
    nobody = process.next(output.state, [broken_data(0)]).state
    np.testing.assert_allclose(_own(nobody).mixture, mixture, rtol=1e-6)
    np.testing.assert_array_equal(weights_of(process, nobody), weights_of(process, output.state))


@pytest.mark.parametrize("rate", [0.0, 0.02])
def test_a_huge_loss_takes_the_mixture_or_at_a_rate_of_0_nothing(rate):
    work = DrfaWork(mixture_rate=rate, **_ALL)
    reports = {"draws": np.int32([4]), "num_steps": np.int32([5])}
    answers = {"client_index": np.int32([3]), "loss": tf.constant([3e38])}
    state = work.initial_state(LOCAL_TRAINING, ())
    given = {"round_number": tf.constant(0), "reports": reports, "answers": answers}
    mixture = work.next_state(LOCAL_TRAINING, state, **given)[0].mixture
    expected = np.eye(len(CLIENTS))[3] if rate else np.full(len(CLIENTS), 1 / len(CLIENTS))
    np.testing.assert_allclose(mixture, expected, atol=1e-6)


def test_draws_follow_the_mixture():
    """4,000 draws from (1/2, 0, 3/8, 1/8), and as many without replacement; by round and seed."""
    mixture = tf.constant([0.5, 0.0, 0.375, 0.125])
    works = [DrfaWork(4, clients_per_round=2, sampling_seed=seed) for seed in (0, 1)]
    draw = tf.function(works[0]._draw)
    drawn = [draw(mixture, tf.constant(t)) for t in range(2000)]
    shares = np.bincount(np.concatenate([d.trained for d in drawn]), minlength=4) / 4000
    np.testing.assert_allclose(shares, mixture, atol=0.03)
    assert shares[1] == 0
    evaluated = np.stack([d.evaluated for d in drawn])
    assert (evaluated[:, 0] != evaluated[:, 1]).all()
    np.testing.assert_allclose(np.bincount(evaluated.ravel()) / 4000, 1 / 4, atol=0.03)
    places = np.array([d.place for d in drawn])
    assert places.min() >= 0 and places.max() < 1 and abs(places.mean() - 1 / 2) < 0.03
    assert works[1]._draw(mixture, tf.constant(0)).place != places[0]
