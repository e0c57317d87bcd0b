"""Tests of `tff_weights.client_work.local_model`."""

import collections
import math

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
    to_arrays,
    to_vector,
    unweighted_cross_entropy,
    weighted_cross_entropy,
)

from tff_weights.client_work.any_model import local_model
from tff_weights.weightings.term import tilted_local_loss, tilted_loss

_ZEROS = np.zeros(NUM_WEIGHTS)


def _variable_model():
    return tff.learning.models.model_from_functional(functional_model())


@pytest.mark.parametrize(
    ("tilt", "value", "slopes"),
    [
        # Of the losses 0 and ln 3, e^{τ l} are 1 and 3, or 1 and 1/3: their means are 2 and 2/3.
        (1.0, math.log(2), [1 / 4, 3 / 4, 0]),
        (-1.0, math.log(3 / 2), [3 / 4, 1 / 4, 0]),
        # In the limit the largest, though 3^{10⁶} is no float.
        (1e6, math.log(3), [0, 1, 0]),
    ],
)
def test_terms_loss_by_hand(tilt, value, slopes):
    """The third loss is of padding."""
    losses = tf.constant([0, math.log(3), 50])
    with tf.GradientTape() as tape:
        tape.watch(losses)
        found = tilted_loss(losses, tf.constant([1.0, 1.0, 0.0]), tilt=tilt)
    assert float(found) == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(tape.gradient(found, losses), slopes, atol=1e-6)


def test_a_loss_that_is_no_scalar_is_refused():
    (examples,) = make_clients([9])
    batch = collections.OrderedDict(x=tf.constant(examples.x), y=tf.constant(examples.y))
    arrays = tuple(map(tf.constant, to_arrays(initial_vector())))
    weights = tff.learning.models.ModelWeights(arrays, ())
    for wrong in (lambda loss: [loss, loss], lambda loss: tf.stack([loss, loss])):
        with pytest.raises(ValueError, match="local_loss must return a scalar"):
            local_model(functional_model(), wrong).bind().gradients(weights, batch, None)


def _penalised(**given):
    """A model of Keras with the penalty `0.1 ‖W‖²`."""
    penalty = tf.keras.regularizers.L2(0.1)
    network = tf.keras.Sequential([tf.keras.layers.Dense(3, kernel_regularizer=penalty)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, **given)
    return tff.learning.models.from_keras_model(network, loss, functional_model().input_spec)


@pytest.mark.parametrize(
    "model", [functional_model(), _variable_model, _penalised], ids=["of F", "of V", "penalised"]
)
@pytest.mark.parametrize("tilt", [None, 2.0, -1.0])
def test_another_loss_is_minimised_and_the_plain_one_measured(model, tilt):
    """The gradient of ℓ² is 2 ℓ ∇ℓ; TERM's has the softmax of `τ l`, and the penalty's `0.2 W`."""
    (examples,) = make_clients([9])
    batch = collections.OrderedDict(x=tf.constant(examples.x), y=tf.constant(examples.y))
    vector, container = initial_vector(), list if model is _penalised else tuple
    arrays = container(map(tf.constant, to_arrays(vector)))
    weights = tff.learning.models.ModelWeights(arrays, container())
    plain = softmax_regression.losses(vector, examples)
    penalty = np.append(0.1 * vector[:-3], [0, 0, 0]) * (model is _penalised)
    loss = plain.mean() + penalty @ vector
    bound = local_model(model, tilted_local_loss(tilt) if tilt else lambda loss: loss**2).bind()
    powers = np.exp((tilt or 0) * plain)
    gradient = softmax_regression.gradient(vector, examples, powers / powers.sum())
    expected = (1 if tilt else 2 * loss) * (gradient + 2 * penalty)
    found = tf.function(bound.gradients)(weights, batch, None)
    np.testing.assert_allclose(to_vector(found), expected, atol=1e-5)
    assert float(bound.evaluate(weights, batch, None).loss) == pytest.approx(loss, rel=1e-5)


def _model_of(predict_on_batch):
    return tff.learning.models.FunctionalModel(
        initial_weights=((np.ones((4, 3), np.float32), np.ones(2, np.float32)), ()),
        predict_on_batch_fn=tf.function(predict_on_batch),
        loss_fn=weighted_cross_entropy,
        input_spec=functional_model().input_spec,
    )


def _centred(weights, x, training=True):
    """By the batch's mean in training, in which padding would count."""
    logits = x @ weights[0][0]
    return logits - tf.reduce_mean(logits, axis=0) if training else logits


def test_a_weight_that_the_loss_does_not_depend_on_has_gradient_zero():
    model = _model_of(lambda weights, x, training=True: x @ weights[0][0])
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
        (_model_of(_centred), False),
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
        (lambda: _penalised(reduction="sum"), "a mean over the examples.*'sum'"),
        (functional_model(loss_fn=lambda output, *_: tf.reduce_sum(output)), "reduce_sum"),
    ],
)
def test_other_things_than_models_are_refused(model, message):
    with pytest.raises((TypeError, ValueError), match=message):
        _ = local_model(model).label_format


_TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)


def _network(*first):
    return tf.keras.Sequential([*first, tf.keras.layers.Dense(2, input_shape=[2])])


def _assigned(path):
    network = _network()
    network.layers[0].kernel.assign(_TABLE[:2])
    return network


def _with_set_weights(path):
    network = _network()
    network.set_weights([_TABLE[:2], np.ones(2)])
    return network


def _loaded(path):
    _with_set_weights(path).save_weights(path)
    network = _network()
    network.load_weights(path)
    return network


def _with_frozen_embedding(path):
    frozen = {"weights": [_TABLE], "trainable": False, "input_length": 3}
    embedding = tf.keras.layers.Embedding(4, 2, **frozen)
    return _network(embedding, tf.keras.layers.GlobalAveragePooling1D())


@pytest.mark.parametrize(
    ("build", "places"),
    [
        (_assigned, [0]),
        (_with_set_weights, [0, 1]),
        (_loaded, [0, 1]),
        (_with_frozen_embedding, [2]),
    ],
)
def test_weights_that_the_function_sets_are_the_initial_ones(build, places, tmp_path):
    """All others are drawn as TFF draws them."""

    def model():
        network = build(str(tmp_path / "weights.h5"))
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        x = tf.TensorSpec([None, *network.input_shape[1:]], network.inputs[0].dtype)
        spec = collections.OrderedDict(x=x, y=tf.TensorSpec([None], tf.int32))
        return tff.learning.models.from_keras_model(network, loss, spec)

    weights = tf.nest.flatten(local_model(model).initial_weights_computation())
    expected = {0: _TABLE[:2], 1: np.ones(2), 2: _TABLE}
    for place, found in enumerate(weights):
        assert np.array_equal(found, expected[place]) == (place in places)


def test_a_function_that_fails_in_a_graph_is_refused():
    def model():
        layer = tf.keras.layers.Normalization(input_shape=[2])
        layer.adapt(_TABLE)
        spec = collections.OrderedDict(x=tf.TensorSpec([None, 2]), y=tf.TensorSpec([None, 2]))
        loss = tf.keras.losses.MeanSquaredError()
        return tff.learning.models.from_keras_model(_network(layer), loss, spec)

    with pytest.raises(ValueError, match="model must be a function that works in a graph, too"):
        local_model(model)
