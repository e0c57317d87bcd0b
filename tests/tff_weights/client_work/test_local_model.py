"""Tests of `tff_weights.client_work.local_model`."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import softmax_regression
from reference.problem import (
    NUM_WEIGHTS,
    functional_model,
    initial_vector,
    make_clients,
    model_weights,
    to_vector,
    unweighted_cross_entropy,
    weighted_cross_entropy,
)

from tff_weights.client_work.local_model import local_model

_ZEROS = np.zeros(NUM_WEIGHTS)


def _variable_model():
    return tff.learning.models.model_from_functional(functional_model())


@pytest.mark.parametrize("model", [functional_model(), _variable_model], ids=["of F", "of V"])
def test_a_wrapped_loss_is_minimised_and_the_plain_one_measured(model):
    """The gradient of ℓ² is 2 ℓ ∇ℓ."""
    (examples,) = make_clients([9])
    batch = collections.OrderedDict(x=tf.constant(examples.x), y=tf.constant(examples.y))
    bound = local_model(model, lambda loss: loss**2).bind()
    weights = tf.nest.map_structure(tf.constant, model_weights())
    loss = softmax_regression.loss(initial_vector(), examples)
    np.testing.assert_allclose(
        to_vector(bound.gradients(weights, batch, None)),
        2 * loss * softmax_regression.gradient(initial_vector(), examples),
        atol=1e-5,
    )
    assert float(bound.evaluate(weights, batch, None).loss) == pytest.approx(loss, rel=1e-5)


def test_a_weight_that_the_loss_does_not_depend_on_has_gradient_zero():
    @tf.function
    def predict_on_batch(weights, x, training=True):
        return tf.matmul(x, weights[0][0])

    model = tff.learning.models.FunctionalModel(
        initial_weights=((np.ones((4, 3), np.float32), np.ones(2, np.float32)), ()),
        predict_on_batch_fn=predict_on_batch,
        loss_fn=weighted_cross_entropy,
        input_spec=functional_model().input_spec,
    )
    bound = local_model(model).bind()
    weights = local_model(model).initial_weights()
    batch = collections.OrderedDict(x=tf.ones([9, 4]), y=tf.zeros(9, tf.int32))
    _, unused = bound.gradients(weights, batch, None)
    np.testing.assert_array_equal(unused, [0, 0])


def _keras_loss(output, label, sample_weight=None):
    """Divides by the size of the batch, as Keras' losses do: padding would count."""
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return loss(label, output, sample_weight)


@pytest.mark.parametrize(
    ("model", "allows"),
    [
        *((functional_model(dtype=dtype), True) for dtype in (tf.float32, tf.float64, tf.bfloat16)),
        # From zero weights, with which all examples lose the same, it must be seen as well.
        *((functional_model(v, loss_fn=unweighted_cross_entropy), False) for v in (None, _ZEROS)),
        (functional_model(loss_fn=_keras_loss), False),
        (functional_model(loss_fn=_keras_loss, dtype=tf.float16), False),
        (functional_model(loss_fn=lambda output, label: tf.reduce_mean(output)), False),
        (_variable_model, False),
    ],
)
def test_a_weighted_mean_alone_can_be_padded(model, allows):
    assert local_model(model).allows_sample_weight == allows


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (3, "FunctionalModel.*VariableModel.*int"),
        (lambda: 3, "VariableModel.*int"),
        (lambda: functional_model(), "VariableModel.*FunctionalModel"),
        (_variable_model(), "FunctionalModel.*VariableModel.*"),
    ],
)
def test_other_things_than_models_are_refused(model, message):
    with pytest.raises(TypeError, match=message):
        local_model(model)
