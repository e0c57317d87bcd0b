"""Tests of `leaf_data.models.classification`."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.models import classification

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


def test_no_weight_at_all_gives_zero_loss_and_gradient():
    with tf.GradientTape() as tape:
        tape.watch(_LOGITS)
        loss = classification.weighted_cross_entropy(_LOGITS, tf.constant([0, 0]), tf.zeros(2))
    assert float(loss) == 0.0
    np.testing.assert_array_equal(tape.gradient(loss, _LOGITS), np.zeros((2, 2)))


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_correct(dtype):
    """The largest logits are at 1 and 0."""
    correct = classification.correct(_LOGITS, tf.constant([1, 1], dtype))
    assert correct.dtype == tf.float32
    assert correct.numpy().tolist() == [1.0, 0.0]


@pytest.mark.parametrize("label", [-1, 2, 99])
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


@pytest.mark.parametrize("dtype", [tf.int32, tf.float32, tf.uint8])
@pytest.mark.parametrize("label", [2, 99, -1])
def test_keras_cross_entropy_of_no_class_is_not_a_number(label, dtype):
    """Of the others' labels it is as it was: -log 1/4."""
    if dtype == tf.uint8 and label < 0:
        pytest.skip("Bytes are not negative.")
    with tf.GradientTape() as tape:
        tape.watch(_LOGITS)
        losses = classification.KerasCrossEntropy(from_logits=True, reduction="none")(
            tf.constant([0, label], dtype), _LOGITS
        )
    assert losses.numpy()[0] == pytest.approx(np.log(4), rel=1e-6)
    assert np.isnan(losses.numpy()[1])
    gradient = tape.gradient(losses, _LOGITS).numpy()
    assert np.isfinite(gradient[0]).all() and np.isnan(gradient[1]).all()
