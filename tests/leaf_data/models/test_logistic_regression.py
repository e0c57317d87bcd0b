"""Tests of `leaf_data.models.logistic_regression`."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.models import logistic_regression


def test_input_and_weights():
    model = logistic_regression(num_features=60, num_classes=10, seed=0)
    assert model.input_spec == collections.OrderedDict(
        x=tf.TensorSpec([None, 60], tf.float32), y=tf.TensorSpec([None], tf.int32)
    )
    (weights, bias), non_trainable = model.initial_weights
    assert non_trainable == ()
    assert (weights.shape, weights.dtype) == ((60, 10), np.float32)
    assert (bias.shape, bias.dtype) == ((10,), np.float32)


def test_initial_weights_are_glorot_uniform():
    """U(-l, l) with l = √(6 / (60 + 10)) = 0.29277 has the deviation l/√3.

    Its kurtosis is 9/5, so that over n draws the deviation's relative standard error is
    √((9/5 - 1) / 4n) = √(0.2/n).
    """
    (weights, bias), _ = logistic_regression(
        num_features=60, num_classes=10, seed=0
    ).initial_weights
    assert 0.28 < np.abs(weights).max() <= 0.29278
    assert weights.std() == pytest.approx(0.29277 / np.sqrt(3), rel=4 * np.sqrt(0.2 / 600))
    np.testing.assert_array_equal(bias, np.zeros(10))


def test_seed_decides_the_initial_weights():
    first, second, third = (
        logistic_regression(num_features=3, num_classes=2, seed=seed).initial_weights[0][0]
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, third)


def test_prediction_is_affine():
    """The logits x W + b = (1·1 + 2·3 + 1, 1·2 + 2·4 - 1) = (8, 9), also from integers."""
    model = logistic_regression(num_features=2, num_classes=2, seed=0, feature_dtype=tf.uint8)
    weights = (tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, -1.0]))
    logits = model.predict_on_batch((weights, ()), tf.constant([[1, 2]], tf.uint8))
    np.testing.assert_array_equal(logits, [[8.0, 9.0]])


def test_weighted_loss_and_gradient_compile_with_xla():
    """From W = 0 the loss is log 2, and ∂loss/∂b = softmax - onehot = (1/2, -1/2).

    Only the first example counts: the second has the weight 0.
    """
    model = logistic_regression(num_features=1, num_classes=2, seed=0)

    @tf.function(jit_compile=True)
    def gradient(weights, x, y, sample_weight):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = model.loss(model.predict_on_batch((weights, ()), x), y, sample_weight)
        return loss, tape.gradient(loss, weights)

    loss, (of_weights, of_bias) = gradient(
        (tf.zeros([1, 2]), tf.zeros(2)),
        tf.constant([[3.0], [100.0]]),
        tf.constant([1, 0]),
        tf.constant([2.0, 0.0]),
    )
    assert float(loss) == pytest.approx(np.log(2), rel=1e-6)
    np.testing.assert_allclose(of_bias, [0.5, -0.5], rtol=1e-6)
    np.testing.assert_allclose(of_weights, [[1.5, -1.5]], rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_features": 0}, "num_features is 0"),
        ({"num_classes": 1}, "num_classes is 1"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        logistic_regression(**{"num_features": 2, "num_classes": 2, "seed": 0, **arguments})
