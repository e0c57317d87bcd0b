"""Tests of the logistic regression and the squared SVM against numbers by hand."""

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.models import logistic_regression, squared_svm
from leaf_data.models.squared_svm import correct_parity, regularized_squared_hinge


def _loss_and_gradient(model, weights, *batch):
    """Compiled by XLA."""

    @tf.function(jit_compile=True)
    def compiled(weights, x, y, sample_weight):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = model.loss(model.predict_on_batch((weights, ()), x), y, sample_weight)
        return loss, tape.gradient(loss, weights)

    return compiled(tuple(map(tf.constant, weights)), *map(tf.constant, batch))


def test_weighted_loss_and_gradient_compile_with_xla():
    """From W = 0 the loss is log 2, and ∂loss/∂b = softmax - onehot = (1/2, -1/2).

    Only the first example counts: the second has the weight 0.
    """
    model = logistic_regression(num_features=1, num_classes=2, seed=0)
    loss, (of_weights, of_bias) = _loss_and_gradient(
        model, (np.zeros([1, 2], "f"), np.zeros(2, "f")), [[3.0], [100.0]], [1, 0], [2.0, 0.0]
    )
    assert float(loss) == pytest.approx(np.log(2), rel=1e-6)
    np.testing.assert_allclose(of_bias, [0.5, -0.5], rtol=1e-6)
    np.testing.assert_allclose(of_weights, [[1.5, -1.5]], rtol=1e-6)


def test_gradient_of_the_svm_has_the_regularizer_and_compiles_with_xla():
    """At w = (1, 0), x = (0, 1), digit 2: the loss ½ (1 - 0)² + λ/2; ∂/∂w = -(1) x + λ w."""
    model = squared_svm(image_shape=(1, 2), seed=0, l2_strength=0.3)
    x = np.array([[[0, 255]], [[255, 0]]], np.uint8)
    loss, (gradient,) = _loss_and_gradient(model, ([[1.0], [0.0]],), x, [2, 1], [1.0, 0.0])
    assert float(loss) == pytest.approx(0.5 + 0.15)
    np.testing.assert_allclose(gradient, [[0.3], [-1.0]], rtol=1e-6)


def test_loss_of_the_svm_by_hand():
    """Scores 0.5, 0.5, 2 of the digits 4, 7, 8 have the signs +1, -1, +1, and the losses

    ½ (1 - 0.5)² = 0.125, ½ (1 + 0.5)² = 1.125 and ½ max(0, -1)² = 0; with 0.1 more each, the mean
    is (1.25 + 0.3) / 3, and with the weights 1, 3, 0 it is (0.225 + 3 · 1.225) / 4.
    """
    output = tf.constant([[0.5, 0.1], [0.5, 0.1], [2.0, 0.1]])
    label = tf.constant([4, 7, 8])
    assert float(regularized_squared_hinge(output, label)) == pytest.approx(1.55 / 3)
    weighted = regularized_squared_hinge(output, label, tf.constant([1.0, 3.0, 0.0]))
    assert float(weighted) == pytest.approx((0.225 + 3 * 1.225) / 4)


def test_correct_parity():
    """A positive score says even; the regularizer says nothing."""
    output = tf.constant([[1.0, 9.0], [1.0, 9.0], [-1.0, 9.0], [-1.0, 9.0]])
    for dtype in (tf.int32, tf.int64):
        correct = correct_parity(output, tf.constant([0, 1, 2, 3], dtype))
        assert correct.dtype == tf.float32
        assert correct.numpy().tolist() == [1.0, 0.0, 0.0, 1.0]
