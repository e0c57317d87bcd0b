"""Tests of `tff_weights.evaluation.inputs`."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference.problem import NUM_CLASSES, NUM_FEATURES, model_weights, weighted_cross_entropy

import tff_weights
from tff_weights import build_own_model_evaluation, build_per_client_evaluation

_X = np.random.default_rng(0).normal(size=[5, NUM_FEATURES])
_Y = np.arange(5, dtype=np.int32) % NUM_CLASSES
_WEIGHTS = model_weights()


@tf.function
def _predict_on_batch(weights, x, training=True):
    kernel, bias = weights[0]
    return tf.matmul(x, kernel) + bias


_MODEL = tff.learning.models.FunctionalModel(
    initial_weights=(_WEIGHTS.trainable, ()),
    predict_on_batch_fn=_predict_on_batch,
    loss_fn=weighted_cross_entropy,
    input_spec=collections.OrderedDict(
        x=tf.TensorSpec([None, NUM_FEATURES]), y=tf.TensorSpec([None], tf.int32)
    ),
)


def _evaluations(x):
    examples, sizes = {"x": x, "y": _Y}, [2, 3]
    of_all = build_per_client_evaluation(_MODEL, examples, sizes)
    of_each = build_own_model_evaluation(_MODEL, examples, sizes)
    return of_all, lambda weights: of_each(lambda client: weights, [0, 1])


@pytest.mark.parametrize("x", [_X, np.float32(_X[:, 1:])])
def test_examples_of_another_kind_are_named(x):
    """Of float64, NumPy's default, or with one feature too few."""
    given = rf"got {x.dtype.name} \(None, {x.shape[1]}\), int32"
    for evaluate in _evaluations(x):
        with pytest.raises(ValueError, match=rf"^examples must be float32 .*takes, {given}"):
            evaluate(_WEIGHTS)


def test_a_state_in_the_place_of_weights_is_refused():
    training = tff_weights.LocalTraining(learning_rate=0.1, batch_size=2, epochs=1)
    state = tff_weights.build_fed_avg(_MODEL, local_training=training).initialize()
    for evaluate in _evaluations(np.float32(_X)):
        with pytest.raises(TypeError, match=r"^weights must be .*get_model_weights\(state\)"):
            evaluate(state)
        assert evaluate(_WEIGHTS).accuracies.shape == (2,)
