"""Tests of what all image models have in common, and of their parameters and predictions."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data import models
from leaf_data.models import layers
from leaf_data.models.squared_svm import correct_parity
from leaf_data.pixels import PixelScaling

_MODELS = {
    "image_logistic_regression": functools.partial(
        models.image_logistic_regression, image_shape=(28, 28), num_classes=10
    ),
    "fed_adp_cnn": functools.partial(models.fed_adp_cnn, image_shape=(28, 28), num_classes=10),
    "fed_adp_cnn on CIFAR-10": functools.partial(
        models.fed_adp_cnn, image_shape=(32, 32, 3), num_classes=10
    ),
    "fed_adp_cnn_unpadded": functools.partial(
        models.fed_adp_cnn_unpadded, image_shape=(28, 28), num_classes=10
    ),
    "fed_veca_cnn": functools.partial(models.fed_veca_cnn, image_shape=(28, 28), num_classes=10),
    "fed_veca_cnn on CIFAR-10": functools.partial(
        models.fed_veca_cnn, image_shape=(32, 32, 3), num_classes=10
    ),
    "le_net": functools.partial(models.le_net, image_shape=(28, 28), num_classes=10),
    "le_net on CIFAR-10": functools.partial(models.le_net, image_shape=(32, 32, 3), num_classes=10),
    "perceptron": functools.partial(models.perceptron, image_shape=(28, 28), num_classes=10),
    "squared_svm": functools.partial(models.squared_svm, image_shape=(28, 28)),
}

_NUM_PARAMETERS = {
    # 784 · 10 + 10
    "image_logistic_regression": 7_850,
    # The paper's count: 25·32 + 32, 25·32·64 + 64, 3136·512 + 512, 512·10 + 10.
    "fed_adp_cnn": 1_663_370,
    # 25·3·32 + 32, 25·32·64 + 64, 4096·512 + 512, 512·10 + 10
    "fed_adp_cnn on CIFAR-10": 2_156_490,
    # The same with the 4·4·64 = 1,024 inputs that the paper names.
    "fed_adp_cnn_unpadded": 582_026,
    # 25·32 + 32, 25·32·32 + 32, 1568·256 + 256, 256·10 + 10
    "fed_veca_cnn": 430_698,
    # 25·3·32 + 32, 25·32·32 + 32, 2048·256 + 256, 256·10 + 10
    "fed_veca_cnn on CIFAR-10": 555_178,
    # LeNet-5's: 25·6 + 6, 25·6·16 + 16, 25·16·120 + 120, 120·84 + 84, 84·10 + 10
    "le_net": 61_706,
    # Its first kernel three times as large: 2·25·6 more.
    "le_net on CIFAR-10": 62_006,
    # 784·64 + 64, 64·10 + 10
    "perceptron": 50_890,
    "squared_svm": 784,
}


def _batch(model, size=6):
    shape = model.input_spec["x"].shape[1:]
    generator = np.random.default_rng(0)
    x = tf.constant(generator.integers(0, 256, (size, *shape), np.uint8))
    return x, tf.constant(generator.integers(0, 10, size), tf.int32)


@pytest.mark.parametrize("name", _MODELS)
def test_number_of_parameters(name):
    trainable, non_trainable = _MODELS[name](seed=0).initial_weights
    assert sum(weight.size for weight in trainable) == _NUM_PARAMETERS[name]
    assert all(weight.dtype == np.float32 for weight in trainable)
    assert non_trainable == ()


@pytest.mark.parametrize("name", _MODELS)
def test_seed_decides_the_initial_weights(name):
    first, second, third = (_MODELS[name](seed=seed).initial_weights[0][0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, third)
    with pytest.raises(ValueError, match="seed is -1"):
        _MODELS[name](seed=-1)


@pytest.mark.parametrize("name", _MODELS)
def test_the_loss_is_the_weighted_mean(name):
    """A weight of 0 takes an example out: as if it were not in the batch."""
    model = _MODELS[name](seed=0)
    assert model.input_spec == layers.image_input_spec(model.input_spec["x"].shape[1:])
    x, y = _batch(model)
    output = model.predict_on_batch(model.initial_weights, x)
    np.testing.assert_allclose(
        model.loss(output, y, tf.constant([2.0, 2, 2, 2, 0, 0])),
        model.loss(output[:4], y[:4]),
        rtol=1e-5,
    )
    assert float(model.loss(output, y, tf.zeros(6))) == 0.0


@pytest.mark.parametrize("name", _MODELS)
def test_pixels_are_scaled_as_the_data_set_says(name):
    """Bytes b scaled by (b - m) / d are what 255 (b - m) / d are with pixels / 255."""
    plain = _MODELS[name](seed=0)
    shape = tuple(plain.input_spec["x"].shape[1:])
    generator = np.random.default_rng(1)
    mean = generator.integers(0, 5, shape).astype(np.float32)
    scaled = _MODELS[name](seed=0, pixels=PixelScaling(mean, np.full(shape, 255.0)))
    x = generator.integers(5, 256, (4, *shape)).astype(np.uint8)
    np.testing.assert_allclose(
        scaled.predict_on_batch(scaled.initial_weights, tf.constant(x)),
        plain.predict_on_batch(plain.initial_weights, tf.constant(x - mean.astype(np.uint8))),
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("name", _MODELS)
def test_a_step_against_the_gradient_lowers_the_loss(name):
    model = _MODELS[name](seed=0)
    x, y = _batch(model)

    def loss_of(weights):
        return model.loss(model.predict_on_batch((weights, ()), x), y)

    weights = tuple(map(tf.constant, model.initial_weights[0]))
    with tf.GradientTape() as tape:
        tape.watch(weights)
        before = loss_of(weights)
    gradients = tape.gradient(before, weights)
    assert all(np.any(gradient != 0.0) for gradient in gradients)
    after = loss_of(tuple(w - 1e-3 * g for w, g in zip(weights, gradients)))
    assert after < before


@pytest.mark.parametrize("name", _MODELS)
def test_the_metric_is_the_accuracy(name):
    model = _MODELS[name](seed=0)
    correct = correct_parity if name == "squared_svm" else models.classification.correct
    x, y = _batch(model, size=50)
    output = model.predict_on_batch(model.initial_weights, x, training=False)
    state = model.update_metrics_state(
        model.initialize_metrics_state(),
        y,
        tff.learning.models.BatchOutput(
            loss=tf.constant(0.0), predictions=output, num_examples=tf.constant(50)
        ),
    )
    accuracy = float(model.finalize_metrics(state)["accuracy"])
    assert accuracy == pytest.approx(float(np.mean(correct(output, y))))


def _keras(name):
    conv = functools.partial(tf.keras.layers.Conv2D, activation="relu")
    dense, pool, flatten = (
        tf.keras.layers.Dense,
        tf.keras.layers.MaxPooling2D,
        tf.keras.layers.Flatten,
    )
    if name == "perceptron":
        return tf.keras.Sequential([flatten(), dense(64, "relu"), dense(10)])
    if name.startswith("le_net"):
        padding = "valid" if "CIFAR" in name else "same"  # The image is as large as LeNet-5's.
        stack = [conv(6, 5, padding=padding), pool(), conv(16, 5), pool(), conv(120, 5), flatten()]
        return tf.keras.Sequential([*stack, dense(84, "relu"), dense(10)])
    filters, hidden = ((32, 64), 512) if name.startswith("fed_adp") else ((32, 32), 256)
    padding = "valid" if name.endswith("unpadded") else "same"
    stack = [layer for n in filters for layer in (conv(n, 5, padding=padding), pool())]
    return tf.keras.Sequential([*stack, flatten(), dense(hidden, "relu"), dense(10)])


@pytest.mark.parametrize(
    "name", [name for name in _MODELS if "cnn" in name or "net" in name or name == "perceptron"]
)
def test_predictions_are_those_of_keras_layers(name):
    model = _MODELS[name](seed=3)
    x, _ = _batch(model)
    pixels = tf.cast(x, tf.float32) / 255.0
    if pixels.shape.rank == 3:
        pixels = pixels[..., None]
    keras = _keras(name)
    keras.build(pixels.shape)
    weights = [weight + 0.01 if weight.ndim == 1 else weight for weight in model.initial_weights[0]]
    keras.set_weights(weights)
    np.testing.assert_allclose(
        model.predict_on_batch((tuple(weights), ()), x), keras(pixels), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(
    ("build", "arguments", "message"),
    [
        (models.image_logistic_regression, {"num_classes": 1}, "num_classes is 1"),
        (models.fed_adp_cnn, {"num_classes": 0}, "num_classes is 0"),
        (models.fed_veca_cnn, {"image_shape": (3, 28)}, r"image_shape is \(3, 28\); height and"),
        (
            models.fed_adp_cnn_unpadded,
            {"image_shape": (28, 15)},
            r"image_shape is \(28, 15\); height and width must be at least 16",
        ),
        (models.le_net, {"image_shape": (32, 28)}, r"image_shape is \(32, 28\)"),
        (models.le_net, {"image_shape": (30, 30, 3)}, r"image_shape is \(30, 30, 3\)"),
        (models.perceptron, {"num_hidden": 0}, "num_hidden is 0"),
    ],
)
def test_bad_arguments_are_refused(build, arguments, message):
    with pytest.raises(ValueError, match=message):
        build(**{"image_shape": (28, 28), "num_classes": 10, "seed": 0, **arguments})
