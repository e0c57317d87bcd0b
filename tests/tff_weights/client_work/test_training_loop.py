"""Tests of `tff_weights.client_work.training_loop`, beside those of every algorithm's steps."""

import collections

import numpy as np
import pytest
import tensorflow as tf
from reference import softmax_regression
from reference.problem import (
    functional_model,
    initial_vector,
    make_clients,
    model_weights,
    to_vector,
)

from tff_weights.client_work import dense_examples, training_loop
from tff_weights.client_work.any_model import local_model
from tff_weights.client_work.local_data import LocalData


@pytest.mark.parametrize(
    ("size", "padded"),
    [(0, True), (1, False), (65, True), (512, False), (513, False), (1500, False)],
)
def test_mean_gradients_against_numpy(size, padded):
    """In one padded batch, and in batches of 512 and a smaller last one; zero without examples."""
    (examples,) = make_clients([size])
    num_examples = tf.constant(size)
    dense = collections.OrderedDict(x=tf.constant(examples.x), y=tf.constant(examples.y))
    if padded:
        dense = dense_examples.pad_with_first(dense, dense_examples.padded_size(num_examples))
    gradient = training_loop.mean_gradient(
        local_model(functional_model()).bind(),
        weights=tf.nest.map_structure(tf.constant, model_weights()),
        data=LocalData(tf.constant(3, tf.int64), dense, num_examples),
        padded=padded,
    )
    expected = softmax_regression.gradient(initial_vector(), examples) if size else 0.0
    np.testing.assert_allclose(to_vector(gradient), expected, atol=1e-6)


def test_many_batches_are_added_up_in_single_precision(monkeypatch):
    """Of one example 600 times, a batch each, the mean gradient is its own in bfloat16, too."""
    monkeypatch.setattr(training_loop, "_EVALUATION_BATCH_SIZE", 1)
    (examples,) = make_clients([1])
    dense = collections.OrderedDict(x=tf.repeat(examples.x, 600, 0), y=tf.repeat(examples.y, 600))
    gradient = training_loop.mean_gradient(
        local_model(functional_model(dtype=tf.bfloat16)).bind(),
        weights=tf.nest.map_structure(lambda x: tf.cast(x, tf.bfloat16), model_weights()),
        data=LocalData(tf.constant(3, tf.int64), dense, tf.constant(600)),
        padded=False,
    )
    expected = softmax_regression.gradient(initial_vector(), examples)
    np.testing.assert_allclose(to_vector(gradient), expected, atol=0.02)


@pytest.mark.parametrize("container", [tuple, list])
def test_who_is_right_may_come_with_weights(container):
    """Of entries that count 2 and 1 the first is right."""
    batch = collections.OrderedDict(x=tf.zeros([2, 4]), y=tf.constant([0, 1]))
    pair = container((tf.constant([True, False]), tf.constant([2.0, 1.0])))
    found = training_loop.correct_per_example(lambda *_: pair, None, batch)
    np.testing.assert_array_equal(found, [[2, 0], [2, 1]])
