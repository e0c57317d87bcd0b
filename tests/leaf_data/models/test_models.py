"""What all models share: parameters, seeds, losses, metrics, scaled pixels, and Keras' numbers."""

import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data import models
from leaf_data.models.squared_svm import correct_parity
from leaf_data.pixels import PixelScaling

_VECTORS = np.random.default_rng(0).normal(size=(7, 300)).astype(np.float32)
_DIGITS = {"image_shape": (28, 28), "num_classes": 10}
_COLOURS = {"image_shape": (32, 32, 3), "num_classes": 10}
_WORDS = {"vocabulary_size": 7, "num_tokens": 25}

# Of each model its function, arguments and number of parameters, most of them the papers' counts.
_MODELS = {
    # 784 · 10 + 10
    "image_logistic_regression": (models.image_logistic_regression, _DIGITS, 7_850),
    # The paper's count: 25·32 + 32, 25·32·64 + 64, 3136·512 + 512, 512·10 + 10.
    "fed_adp_cnn": (models.fed_adp_cnn, _DIGITS, 1_663_370),
    # 25·3·32 + 32, 25·32·64 + 64, 4096·512 + 512, 512·10 + 10
    "fed_adp_cnn on CIFAR-10": (models.fed_adp_cnn, _COLOURS, 2_156_490),
    # The same with the 4·4·64 = 1,024 inputs that the paper names.
    "fed_adp_cnn_unpadded": (models.fed_adp_cnn_unpadded, _DIGITS, 582_026),
    # 25·32 + 32, 25·32·32 + 32, 1568·256 + 256, 256·10 + 10
    "fed_veca_cnn": (models.fed_veca_cnn, _DIGITS, 430_698),
    # 25·3·32 + 32, 25·32·32 + 32, 2048·256 + 256, 256·10 + 10
    "fed_veca_cnn on CIFAR-10": (models.fed_veca_cnn, _COLOURS, 555_178),
    # LeNet-5's: 25·6 + 6, 25·6·16 + 16, 25·16·120 + 120, 120·84 + 84, 84·10 + 10
    "le_net": (models.le_net, _DIGITS, 61_706),
    # Its first kernel three times as large: 2·25·6 more.
    "le_net on CIFAR-10": (models.le_net, _COLOURS, 62_006),
    # 784·64 + 64, 64·10 + 10
    "perceptron": (models.perceptron, _DIGITS, 50_890),
    "squared_svm": (models.squared_svm, {"image_shape": (28, 28)}, 784),
    # 60 · 10 + 10
    "logistic_regression": (
        *(models.logistic_regression, {"num_features": 60, "num_classes": 10}, 610),
    ),
    # The paper's: 640 embedding + 1,024·(8 + 256 + 1) + 1,024·(256 + 256 + 1) + 256·80 + 80.
    "next_character_lstm": (
        *(models.next_character_lstm, {"num_symbols": 80, "window_size": 80}, 817_872),
    ),
    # 7·300 embedding + 400·(300 + 100 + 1) + 400·(100 + 100 + 1) + 100·2 + 2 above it.
    "sentiment_lstm": (models.sentiment_lstm, _WORDS, 2_100 + 241_002),
    "sentiment_lstm with fixed vectors": (
        *(models.sentiment_lstm, {**_WORDS, "word_vectors": _VECTORS}, 241_002),
    ),
}
_OF_IMAGES = [name for name, (_, arguments, _) in _MODELS.items() if "image_shape" in arguments]
_ONE_OF_EACH = [name for name in _MODELS if "CIFAR" not in name]


def _build(name, **changed):
    build, arguments, _ = _MODELS[name]
    return build(**{**arguments, "seed": 0, **changed})


_built = functools.cache(_build)


def _batch(model, size=6):
    """Bytes, symbols or numbers, as the model takes them, and labels of its classes."""
    spec = model.input_spec.x
    generator = np.random.default_rng(0)
    largest = 256 if spec.shape.rank > 2 else 7
    x = tf.cast(generator.integers(0, largest, (size, *spec.shape[1:])), spec.dtype)
    return x, tf.constant(generator.integers(0, 2, size), tf.int32)


@pytest.mark.parametrize("name", _MODELS)
def test_parameters_are_the_papers_and_the_seed_decides_them(name):
    model, again, other = (_build(name, seed=seed) for seed in (1, 1, 2))
    assert model.input_spec.y == tf.TensorSpec([None], tf.int32)
    trainable, fixed = model.initial_weights
    assert sum(weight.size for weight in trainable) == _MODELS[name][2]
    assert {weight.dtype for weight in trainable} == {np.dtype(np.float32)}
    assert len(fixed) == ("fixed" in name)
    for weight, same in zip(trainable, again.initial_weights[0]):
        np.testing.assert_array_equal(weight, same)
    assert not np.array_equal(trainable[0], other.initial_weights[0][0])


@pytest.mark.parametrize("name", _ONE_OF_EACH)
def test_loss_is_a_weighted_mean_that_a_step_lowers_and_the_metric_the_accuracy(name):
    """A weight of 0 takes an example out: as if it were not in the batch."""
    model = _built(name)
    x, y = _batch(model)
    trainable, fixed = model.initial_weights
    weights = tuple(map(tf.constant, trainable))
    with tf.GradientTape() as tape:
        tape.watch(weights)
        output = model.predict_on_batch((weights, fixed), x, training=True)
        loss = model.loss(output, y)
    gradients = tape.gradient(loss, weights)
    assert all(np.any(gradient != 0.0) for gradient in gradients)
    stepped = tuple(w - 1e-3 * g for w, g in zip(weights, gradients))
    assert model.loss(model.predict_on_batch((stepped, fixed), x), y) < loss

    inferred = model.predict_on_batch(model.initial_weights, x, training=False)
    np.testing.assert_allclose(inferred, output, atol=1e-5)
    np.testing.assert_allclose(
        model.loss(output, y, tf.constant([2.0, 2, 2, 2, 0, 0])),
        model.loss(output[:4], y[:4]),
        rtol=1e-5,
    )
    assert float(model.loss(output, y, tf.zeros(6))) == 0.0

    correct = correct_parity if name == "squared_svm" else models.classification.correct
    batch_output = tff.learning.models.BatchOutput(loss, output, tf.constant(6))
    state = model.update_metrics_state(model.initialize_metrics_state(), y, batch_output)
    accuracy = float(model.finalize_metrics(state)["accuracy"])
    assert accuracy == pytest.approx(float(np.mean(correct(output, y))))


@pytest.mark.parametrize(
    "name", ["le_net", "squared_svm", "next_character_lstm", "sentiment_lstm with fixed vectors"]
)
def test_tffs_own_function_saves_it_and_what_is_loaded_predicts_the_same(name, tmp_path):
    model = _built(name)
    tff.learning.models.save_functional_model(model, str(tmp_path))
    loaded = tff.learning.models.load_functional_model(str(tmp_path))
    x, y = _batch(model)
    for training in (True, False):
        found, expected = (
            each.predict_on_batch(each.initial_weights, x, training=training)
            for each in (loaded, model)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(loaded.loss(found, y), model.loss(expected, y), rtol=1e-5)


@pytest.mark.parametrize("name", _OF_IMAGES)
def test_pixels_are_scaled_as_the_data_set_says(name):
    """Bytes b scaled by (b - m) / d are what 255 (b - m) / d are with pixels / 255."""
    plain = _built(name)
    assert plain.input_spec.x.dtype == tf.uint8
    shape = tuple(plain.input_spec.x.shape[1:])
    generator = np.random.default_rng(1)
    mean = generator.integers(0, 5, shape).astype(np.float32)
    scaled = _build(name, pixels=PixelScaling(mean, np.full(shape, 255.0)))
    x = generator.integers(5, 256, (6, *shape)).astype(np.uint8)
    np.testing.assert_allclose(
        scaled.predict_on_batch(scaled.initial_weights, tf.constant(x)),
        plain.predict_on_batch(plain.initial_weights, tf.constant(x - mean.astype(np.uint8))),
        rtol=1e-4,
        atol=1e-5,
    )


def _keras(name):
    conv = functools.partial(tf.keras.layers.Conv2D, activation="relu")
    dense, pool = tf.keras.layers.Dense, tf.keras.layers.MaxPooling2D
    flatten = tf.keras.layers.Flatten
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
    "name", [name for name in _OF_IMAGES if "cnn" in name or "net" in name or name == "perceptron"]
)
def test_predictions_are_those_of_keras_layers(name):
    model = _built(name)
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


def test_sentiment_is_that_of_keras_whether_its_embedding_is_learned_or_fixed():
    learned = _build("sentiment_lstm", seed=5)
    fixed = _build("sentiment_lstm with fixed vectors", seed=5)
    above = learned.initial_weights[0][1:]
    for one, other in zip(above, fixed.initial_weights[0]):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(fixed.initial_weights[1][0], _VECTORS)
    x, _ = _batch(fixed, size=3)
    logits = fixed.predict_on_batch((above, (_VECTORS,)), x, training=False)
    same = learned.predict_on_batch(((_VECTORS, *above), ()), x, training=False)
    np.testing.assert_array_equal(same, logits)

    *of_lstm, kernel, bias = above
    layers = [tf.keras.layers.LSTM(100, return_sequences=more) for more in (True, False)]
    rows = tf.gather(_VECTORS, x)
    tf.keras.Sequential(layers)(rows)
    for place, layer in enumerate(layers):
        layer.set_weights(of_lstm[3 * place : 3 * place + 3])
        rows = layer(rows)
    np.testing.assert_allclose(logits, tf.matmul(rows, kernel) + bias, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("fed_veca_cnn", {"image_shape": (3, 28)}, r"image_shape is \(3, 28\); height and"),
        ("fed_adp_cnn_unpadded", {"image_shape": (28, 15)}, r"image_shape is \(28, 15\); .* 16"),
        ("le_net", {"image_shape": (32, 28)}, r"image_shape is \(32, 28\)"),
        ("sentiment_lstm", {"word_vectors": _VECTORS[:3]}, r"word_vectors has shape \(3, 300\)"),
        ("sentiment_lstm", {"word_vectors": _VECTORS[:, 0]}, r"word_vectors has shape \(7,\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(name, changed, message):
    with pytest.raises(ValueError, match=message):
        _build(name, **changed)
