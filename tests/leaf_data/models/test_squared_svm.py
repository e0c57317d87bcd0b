"""Tests of `leaf_data.models.squared_svm`."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.models import squared_svm
from leaf_data.models.squared_svm import correct_parity, regularized_squared_hinge


def test_score_and_regularizer():
    """x = (255, 51) / 255 = (1, 0.2) and w = (2, 5): <w, x> = 3, λ/2 ‖w‖² = 0.05 · 29 = 1.45."""
    model = squared_svm(image_shape=(1, 2), seed=0)
    weights = (tf.constant([[2.0], [5.0]]),)
    x = tf.constant([[[255, 51]], [[0, 255]]], tf.uint8)
    output = model.predict_on_batch((weights, ()), x)
    np.testing.assert_allclose(output, [[3.0, 1.45], [5.0, 1.45]], rtol=1e-6)


def test_loss_by_hand():
    """Scores 0.5, 0.5, 2 of the digits 4, 7, 8 have the signs +1, -1, +1, and the losses

    ½ (1 - 0.5)² = 0.125, ½ (1 + 0.5)² = 1.125 and ½ max(0, -1)² = 0; with 0.1 more each, the mean
    is (1.25 + 0.3) / 3, and with the weights 1, 3, 0 it is (0.225 + 3 · 1.225) / 4.
    """
    output = tf.constant([[0.5, 0.1], [0.5, 0.1], [2.0, 0.1]])
    label = tf.constant([4, 7, 8])
    assert float(regularized_squared_hinge(output, label)) == pytest.approx(1.55 / 3)
    weighted = regularized_squared_hinge(output, label, tf.constant([1.0, 3.0, 0.0]))
    assert float(weighted) == pytest.approx((0.225 + 3 * 1.225) / 4)


def test_gradient_has_the_regularizer():
    """At w = (1, 0), x = (0, 1), digit 2: the loss ½ (1 - 0)² + λ/2; ∂/∂w = -(1) x + λ w."""
    model = squared_svm(image_shape=(1, 2), seed=0, l2_strength=0.3)
    weights = tf.constant([[1.0], [0.0]])
    with tf.GradientTape() as tape:
        tape.watch(weights)
        output = model.predict_on_batch(((weights,), ()), tf.constant([[[0, 255]]], tf.uint8))
        loss = model.loss(output, tf.constant([2]))
    assert float(loss) == pytest.approx(0.5 + 0.15)
    np.testing.assert_allclose(tape.gradient(loss, weights), [[0.3], [-1.0]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_correct_parity(dtype):
    """A positive score says even; the regularizer says nothing."""
    output = tf.constant([[1.0, 9.0], [1.0, 9.0], [-1.0, 9.0], [-1.0, 9.0]])
    correct = correct_parity(output, tf.constant([0, 1, 2, 3], dtype))
    assert correct.dtype == tf.float32
    assert correct.numpy().tolist() == [1.0, 0.0, 0.0, 1.0]


def test_compiles_with_xla():
    model = squared_svm(image_shape=(2, 2), seed=0)

    @tf.function(jit_compile=True)
    def loss(weights, x, y, sample_weight):
        return model.loss(model.predict_on_batch((weights, ()), x), y, sample_weight)

    arguments = (tf.ones([3, 2, 2], tf.uint8), tf.constant([1, 2, 3]), tf.constant([1.0, 1.0, 0.0]))
    compiled = loss(model.initial_weights[0], *arguments)
    x, y, sample_weight = arguments
    plain = model.loss(model.predict_on_batch(model.initial_weights, x), y, sample_weight)
    assert float(compiled) == pytest.approx(float(plain), rel=1e-5)


@pytest.mark.parametrize("l2_strength", [-0.1, float("inf"), float("nan")])
def test_bad_strength_is_refused(l2_strength):
    with pytest.raises(ValueError, match="l2_strength is"):
        squared_svm(image_shape=(2, 2), seed=0, l2_strength=l2_strength)
