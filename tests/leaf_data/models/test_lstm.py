"""Tests of `leaf_data.models.lstm` against Keras' layers with the same weights."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.models.lstm import LstmWeights, initial_lstm_weights, last_output, lstm_layer


def _layers(num_inputs: int, num_units: int) -> list[LstmWeights]:
    """Two layers with random biases."""
    generator = np.random.default_rng(0)
    layers = [
        initial_lstm_weights(num_inputs=size, num_units=num_units, generator=generator)
        for size in (num_inputs, num_units)
    ]
    return [
        LstmWeights(
            *map(tf.constant, layer._replace(bias=generator.normal(size=4 * num_units).astype("f")))
        )
        for layer in layers
    ]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("in_graph", "time", "batch"), [(True, 1, 1), (True, 12, 3), (False, 1, 4)]
)
def test_outputs_and_gradients_are_those_of_keras(training, in_graph, time, batch):
    layers = _layers(num_inputs=8, num_units=16)
    inputs = tf.constant(np.random.default_rng(1).normal(size=(batch, time, 8)), tf.float32)
    keras_layers = [tf.keras.layers.LSTM(16, return_sequences=last) for last in (True, False)]
    keras_model = tf.keras.Sequential(keras_layers)
    keras_model(inputs)
    for keras_layer, layer in zip(keras_layers, layers):
        keras_layer.set_weights([weight.numpy() for weight in layer])

    def ours(inputs, layers):
        with tf.GradientTape() as tape:
            tape.watch((inputs, layers))
            output = last_output(inputs, layers, training=training)
            loss = tf.reduce_sum(tf.sin(3.0 * output))
        return output, tape.gradient(loss, (inputs, *tf.nest.flatten(layers)))

    output, gradients = (tf.function(ours) if in_graph else ours)(inputs, layers)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        keras_output = keras_model(inputs)
        loss = tf.reduce_sum(tf.sin(3.0 * keras_output))
    keras_gradients = tape.gradient(loss, (inputs, *keras_model.trainable_variables))
    np.testing.assert_allclose(output, keras_output, atol=1e-6)
    assert len(gradients) == len(keras_gradients) == 7
    for gradient, keras_gradient in zip(gradients, keras_gradients):
        np.testing.assert_allclose(gradient, keras_gradient, atol=1e-5)


def test_one_step_by_hand():
    """With zero kernels the gates are those of the bias: c = σ(0)·tanh(1), h = σ(2)·tanh(c)."""
    bias = tf.constant([0.0, 5.0, 1.0, 2.0])
    weights = LstmWeights(tf.zeros([3, 4]), tf.zeros([1, 4]), bias)
    outputs = lstm_layer(tf.ones([1, 2, 3]), weights)
    expected = np.tanh(0.5 * np.tanh(1.0)) / (1 + np.exp(-2.0))
    np.testing.assert_allclose(outputs, np.full((1, 2, 1), expected), rtol=1e-6)


def test_initial_weights_are_those_of_the_basic_cell():
    """U(-l, l), l = √(6 / (3 + 5 + 4·5)) = 0.46291, over kernel and recurrent kernel together."""
    weights = initial_lstm_weights(num_inputs=3, num_units=5, generator=np.random.default_rng(0))
    assert [weight.shape for weight in weights] == [(3, 20), (5, 20), (20,)]
    assert {weight.dtype for weight in weights} == {np.dtype(np.float32)}
    for kernel in weights[:2]:
        assert 0.44 < np.abs(kernel).max() <= 0.46292
    np.testing.assert_array_equal(weights.bias, [0] * 5 + [1] * 5 + [0] * 10)


def test_every_output_of_a_layer_has_a_gradient():
    layer = _layers(num_inputs=2, num_units=3)[0]
    inputs = tf.constant(np.random.default_rng(1).normal(size=(5, 2, 2)), tf.float32)
    keras_layer = tf.keras.layers.LSTM(3, return_sequences=True, time_major=True)
    keras_layer(inputs)
    keras_layer.set_weights([weight.numpy() for weight in layer])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        outputs = (keras_layer(inputs), lstm_layer(inputs, layer))
        losses = [tf.reduce_sum(tf.square(output)) for output in outputs]
    np.testing.assert_allclose(*(tape.gradient(loss, inputs) for loss in losses), atol=1e-6)
