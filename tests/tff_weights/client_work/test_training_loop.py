"""Tests of `tff_weights.client_work.training_loop`: what it lets others see and correct."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from reference import softmax_regression
from reference.problem import (
    NUM_WEIGHTS,
    functional_model,
    initial_vector,
    make_clients,
    model_weights,
    to_arrays,
    to_vector,
)
from reference.simulation import Participant

from tff_weights import LocalTraining
from tff_weights.client_work import dense_examples, training_loop
from tff_weights.client_work.client_work import compiled
from tff_weights.client_work.local_data import LocalData, plan_round
from tff_weights.client_work.local_model import local_model
from tff_weights.client_work.step_geometry import train_and_measure

_PLAIN = LocalTraining(learning_rate=0.1, batch_size=10, epochs=2, shuffle_seed=5)
_FRESH = dataclasses.replace(_PLAIN, epochs=None, steps=11, fresh_batches=True)


def _data(examples, *, padded=False):
    num_examples = tf.constant(len(examples.y))
    dense = collections.OrderedDict(x=tf.constant(examples.x), y=tf.constant(examples.y))
    if padded:
        dense = dense_examples.pad_with_first(dense, dense_examples.padded_size(num_examples))
    return LocalData(tf.constant(3, tf.int64), dense, num_examples)


def _weights():
    return tf.nest.map_structure(tf.constant, model_weights())


def _train(local_training, examples, **arguments):
    data = _data(examples, padded=local_training.compile_with_xla)
    plan = plan_round(local_training, data, tf.constant(0))
    return training_loop.train(
        local_model(functional_model()).bind(),
        local_training,
        weights=_weights(),
        data=data,
        plan=plan,
        **arguments,
    )


def _expected(local_training, examples, **arguments):
    return Participant(3, examples, 0, local_training).train(initial_vector(), **arguments)


@pytest.mark.parametrize(
    ("local_training", "size", "compile_with_xla"),
    [
        (_PLAIN, 95, False),
        (_PLAIN, 64, True),
        (_FRESH, 95, True),
        (_FRESH, 7, False),
        (dataclasses.replace(_PLAIN, momentum=0.9, proximal_strength=0.5), 95, True),
        (dataclasses.replace(_PLAIN, momentum=0.9, proximal_strength=0.5), 7, False),
    ],
)
def test_every_step_is_observed(local_training, size, compile_with_xla):
    """With the weights before it and its gradient, in which is nothing but the loss.

    A fresh batch of seven examples is all of them.
    """
    local_training = dataclasses.replace(local_training, compile_with_xla=compile_with_xla)
    (examples,) = make_clients([size])
    expected = _expected(local_training, examples)
    most = expected.num_steps
    correction = to_arrays(np.full(NUM_WEIGHTS, 0.01))

    def observe(observation, step, trainable, gradient):
        place = [[step]]
        flat = [tf.concat([tf.reshape(x, [-1]) for x in y], 0) for y in (trainable, gradient)]
        count, points, gradients = observation
        return (
            count + 1,
            tf.tensor_scatter_nd_update(points, place, flat[:1]),
            tf.tensor_scatter_nd_update(gradients, place, flat[1:]),
        )

    nothing = tf.zeros([most, NUM_WEIGHTS])
    trainable, (count, points, gradients) = _train(
        local_training, examples, observe=observe, first_observation=(0, nothing, nothing)
    )
    assert int(count) == most
    np.testing.assert_allclose(points, expected.points, atol=1e-5)
    np.testing.assert_allclose(gradients, expected.gradients, atol=1e-5)
    np.testing.assert_allclose(to_vector(trainable), expected.weights, atol=1e-5)
    corrected, last = _train(local_training, examples, gradient_correction=correction)
    assert last == ()
    np.testing.assert_allclose(
        to_vector(corrected),
        _expected(local_training, examples, correction=0.01).weights,
        atol=1e-5,
    )


@pytest.mark.parametrize(("plan", "compile_with_xla"), [(_PLAIN, True), (_FRESH, False)])
def test_a_batch_is_no_wider_than_the_examples(plan, compile_with_xla):
    """40 examples, padded to 64: a batch of 2^30 is all of them, and needs no more memory."""
    (examples,) = make_clients([40])
    wide, whole = (
        dataclasses.replace(plan, batch_size=size, compile_with_xla=compile_with_xla)
        for size in (2**30 - 1, 40)
    )
    data = _data(examples, padded=compile_with_xla)
    batches = plan_round(wide, data, tf.constant(0)).batches
    assert batches.shape[1] == (64 if compile_with_xla else 40)
    np.testing.assert_allclose(
        to_vector(_train(wide, examples)[0]), to_vector(_train(whole, examples)[0]), atol=1e-6
    )
    sums = [
        float(
            training_loop.sum_of_batch_losses(
                local_model(functional_model()).bind(), solver, weights=_weights(), data=data
            )
        )
        for solver in (wide, whole)
    ]
    assert sums[0] == pytest.approx(sums[1], rel=1e-6)


def test_fresh_batches_differ():
    """Of 95 examples every batch of ten is another, and none holds an example twice."""
    (examples,) = make_clients([95])
    data = _data(examples)
    plan = plan_round(_FRESH, data, tf.constant(0))
    batches = []
    for step in range(11):
        batch, weights = training_loop.batch_at(
            tf.constant(step), local_training=_FRESH, data=data, plan=plan
        )
        assert weights is None
        assert len(np.unique(batch["x"].numpy()[:, 0])) == 10
        batches.append(tuple(np.sort(batch["x"].numpy()[:, 0])))
    assert len(set(batches)) == 11
    assert len(np.unique(np.concatenate(batches))) > 60


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("size", [0, 1, 65, 512, 513, 1500])
def test_mean_gradients_against_numpy(size, padded):
    """In one padded batch, and in batches of 512 and a smaller last one; zero without examples."""
    (examples,) = make_clients([size])
    gradient = training_loop.mean_gradient(
        local_model(functional_model()).bind(),
        weights=_weights(),
        data=_data(examples, padded=padded),
        padded=padded,
    )
    expected = softmax_regression.gradient(initial_vector(), examples) if size else 0.0
    np.testing.assert_allclose(to_vector(gradient), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("steps", "compile_with_xla"), [(1, True), (2, False), (11, True), (11, False)]
)
def test_how_the_steps_gradients_vary(steps, compile_with_xla):
    """FedVeca's β and δ over the steps after the first, with ‖∇F(w_{k−1})‖² = 0.25; none is 0."""
    local_training = dataclasses.replace(_FRESH, steps=steps, compile_with_xla=compile_with_xla)
    (examples,) = make_clients([95])
    data = _data(examples, padded=compile_with_xla)
    measure = compiled(
        local_training, train_and_measure, local_model(functional_model()).bind(), local_training
    )
    trainable, gradient, beta, delta = measure(
        weights=_weights(),
        data=data,
        plan=plan_round(local_training, data, tf.constant(0)),
        squared_gradient_norm=tf.constant(0.25),
    )
    expected = _expected(local_training, examples)
    full = softmax_regression.gradient(initial_vector(), examples)
    betas, deltas = [0.0], [0.0]
    for s in range(1, steps):
        moved = initial_vector() - expected.points[s]
        betas.append(np.linalg.norm(full - expected.gradients[s]) / np.linalg.norm(moved))
        total = np.sum(expected.gradients[: s + 1], axis=0)
        deltas.append(total @ total / ((s + 1) * 0.25))
    np.testing.assert_allclose(to_vector(trainable), expected.weights, atol=1e-5)
    np.testing.assert_allclose(to_vector(gradient), full, atol=1e-6)
    assert float(beta) == pytest.approx(max(betas), rel=1e-3)
    assert float(delta) == pytest.approx(max(deltas), rel=1e-3)
