"""Tests of what models are made of: `classification`, `layers`, `embedding` and `lstm`."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.models import classification, layers
from leaf_data.models.embedding import embed
from leaf_data.models.lstm import LstmWeights, initial_lstm_weights, last_output

# softmax of the logits (0, log 3) is (1/4, 3/4), of (log 9, 0) is (9/10, 1/10).
_LOGITS = tf.constant([[0.0, np.log(3.0)], [np.log(9.0), 0.0]], tf.float32)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (None, (np.log(4) + np.log(10 / 9)) / 2),
        ([3.0, 1.0], (3 * np.log(4) + np.log(10 / 9)) / 4),
        ([0.0, 1.0], np.log(10 / 9)),
    ],
)
def test_a_mean_divides_by_the_sum_of_the_weights(weights, expected):
    """Labels 0 and 0: the losses are -log 1/4 and -log 9/10."""
    loss = classification.weighted_cross_entropy(_LOGITS, tf.constant([0, 0]), weights)
    assert float(loss) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("label", [-1, 2])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_label_that_is_no_class_is_not_a_number(label, compiled):
    """The loss and its gradient, on a CPU as under XLA: nothing is raised for the others' round."""

    @tf.function(jit_compile=compiled)
    def loss_and_gradient(logits, labels):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = classification.weighted_cross_entropy(logits, labels)
        return loss, tape.gradient(loss, logits)

    loss, gradient = loss_and_gradient(_LOGITS, tf.constant([0, label]))
    assert np.isnan(loss)
    assert np.isfinite(gradient[0]).all() and np.isnan(gradient[1]).all()


@pytest.mark.parametrize("shape", [(6,), (6, 1), (6, 3)])
@pytest.mark.parametrize("from_logits", [False, True])
def test_keras_cross_entropy_of_classes_is_that_of_keras(shape, from_logits):
    """[batch], [batch, 1] and sequences, with weights as well."""
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 4, shape)
    dimensions = shape if shape[-1] == 3 else shape[:1]
    logits = generator.normal(size=(*dimensions, 4)).astype(np.float32)
    outputs = logits if from_logits else tf.nn.softmax(logits)
    weights = generator.uniform(size=dimensions)
    for sample_weight in (None, weights):
        ours, keras = (
            build(from_logits=from_logits)(labels, outputs, sample_weight)
            for build in (
                classification.KerasCrossEntropy,
                tf.keras.losses.SparseCategoricalCrossentropy,
            )
        )
        assert float(ours) == pytest.approx(float(keras), rel=1e-6)


@pytest.mark.parametrize(("label", "dtype"), [(2, tf.uint8), (99, tf.float32), (-1, tf.int32)])
def test_keras_cross_entropy_of_no_class_is_not_a_number(label, dtype):
    """Of the others' labels it is as it was: -log 1/4."""
    with tf.GradientTape() as tape:
        tape.watch(_LOGITS)
        losses = classification.KerasCrossEntropy(from_logits=True, reduction="none")(
            tf.constant([0, label], dtype), _LOGITS
        )
    assert losses.numpy()[0] == pytest.approx(np.log(4), rel=1e-6)
    assert np.isnan(losses.numpy()[1])
    gradient = tape.gradient(losses, _LOGITS).numpy()
    assert np.isfinite(gradient[0]).all() and np.isnan(gradient[1]).all()


@pytest.mark.parametrize("dtype", [tf.uint8, tf.int8])
def test_keras_cross_entropy_of_more_classes_than_the_labels_dtype_holds(dtype):
    loss = classification.KerasCrossEntropy(from_logits=True)(
        tf.constant([0, 127], dtype), tf.zeros([2, 256])
    )
    assert float(loss) == pytest.approx(np.log(256), rel=1e-6)


def test_initial_layers_are_glorot_uniform():
    """U(-l, l), l = √(6 / (25 · (20 + 30))) = 0.0693 for a 5×5 convolution of 20 to 30 channels.

    Its deviation is l/√3; of n draws its relative standard error is √(0.2/n).
    """
    kernel, bias = layers.initial_layers([(5, 5, 20, 30)], seed=0)
    limit = np.sqrt(6 / (25 * 50))
    assert kernel.dtype == bias.dtype == np.float32
    assert 0.99 * limit < np.abs(kernel).max() <= limit * 1.0001
    assert kernel.std() == pytest.approx(limit / np.sqrt(3), rel=4 * np.sqrt(0.2 / kernel.size))
    np.testing.assert_array_equal(bias, np.zeros(30))


def test_max_pool_drops_an_odd_row():
    x = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
    np.testing.assert_array_equal(layers.max_pool(x)[0, :, :, 0], [[6, 8], [16, 18]])


def test_rows_of_an_embedding_and_their_dense_gradient():
    """Row 1 occurs twice, with factors 1 and 3; row 2 never does."""
    embedding = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    factors = tf.constant([[[2.0, 2.0], [1.0, 1.0]], [[3.0, 3.0], [0.0, 0.0]]])
    with tf.GradientTape() as tape:
        tape.watch(embedding)
        rows = embed(embedding, tf.constant([[0, 1], [1, 0]]))
        loss = tf.reduce_sum(rows * factors)
    np.testing.assert_array_equal(rows, [[[1, 2], [3, 4]], [[3, 4], [1, 2]]])
    gradient = tape.gradient(loss, embedding)
    assert isinstance(gradient, tf.Tensor)
    np.testing.assert_array_equal(gradient, [[2, 2], [4, 4], [0, 0]])


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


@pytest.mark.parametrize(
    ("training", "in_graph", "time", "batch"),
    [(True, True, 12, 3), (True, False, 1, 4), (False, True, 1, 1), (False, False, 12, 3)],
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


def test_initial_weights_are_those_of_the_basic_cell():
    """U(-l, l), l = √(6 / (3 + 5 + 4·5)) = 0.46291, over kernel and recurrent kernel together."""
    weights = initial_lstm_weights(num_inputs=3, num_units=5, generator=np.random.default_rng(0))
    assert [weight.shape for weight in weights] == [(3, 20), (5, 20), (20,)]
    assert {weight.dtype for weight in weights} == {np.dtype(np.float32)}
    for kernel in weights[:2]:
        assert 0.44 < np.abs(kernel).max() <= 0.46292
    np.testing.assert_array_equal(weights.bias, [0] * 5 + [1] * 5 + [0] * 10)
