"""Tests of `tff_weights.trained_models`."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import softmax_regression
from reference.problem import (
    client_data,
    functional_model,
    initial_vector,
    make_clients,
    model_weights,
    to_vector,
)

import tff_weights
from tff_weights import trained_models

# Others than the model begins with.
_VECTOR = initial_vector(seed=7)
_WEIGHTS = model_weights(_VECTOR)
_FUNCTIONAL = functional_model()


def _from_keras():
    """The same model, with a layer that does nothing but in training."""
    network = tf.keras.Sequential(
        [tf.keras.layers.Dropout(0.5, input_shape=[4]), tf.keras.layers.Dense(3)]
    )
    return tff.learning.models.from_keras_model(
        network,
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        input_spec=collections.OrderedDict(
            x=tf.TensorSpec([None, 4]), y=tf.TensorSpec([None], tf.int32)
        ),
    )


@pytest.fixture(params=["pairs", "variables", "Keras"])
def model(request):
    return {
        "pairs": functional_model(pairs=True),
        "variables": lambda: tff.learning.models.model_from_functional(_FUNCTIONAL),
        "Keras": _from_keras,
    }[request.param]


@pytest.fixture
def examples():
    (examples,) = make_clients([6])
    return examples


@pytest.fixture
def logits(examples):
    """What the trained weights predict, by NumPy."""
    return softmax_regression.logits(_VECTOR, examples.x)


def test_a_saved_model_predicts(model, examples, logits, tmp_path):
    trained_models.save_as_saved_model(model, _WEIGHTS, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_allclose(loaded.predict(examples.x), logits, atol=1e-5)
    served = loaded.signatures["serving_default"](x=tf.constant(examples.x))
    np.testing.assert_allclose(served["predictions"], logits, atol=1e-5)


def test_a_keras_model_predicts_and_is_fitted_further(model, examples, logits, tmp_path):
    """With a rate of 0.1 the first step of a model without dropout is that of SGD."""
    keras_model = trained_models.as_keras_model(model, _WEIGHTS)
    np.testing.assert_allclose(keras_model.predict(examples.x, verbose=0), logits, atol=1e-5)
    keras_model.save(tmp_path / "network", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "network")
    np.testing.assert_allclose(loaded.predict(examples.x, verbose=0), logits, atol=1e-5)
    keras_model.compile(
        tf.keras.optimizers.SGD(0.1), tf.keras.losses.SparseCategoricalCrossentropy(True)
    )
    keras_model.fit(examples.x, examples.y, batch_size=6, verbose=0)
    fitted = keras_model.predict(examples.x, verbose=0)
    assert np.any(np.abs(fitted - logits) > 1e-4)
    if model is not _from_keras:
        stepped = _VECTOR - 0.1 * softmax_regression.gradient(_VECTOR, examples)
        np.testing.assert_allclose(
            fitted, softmax_regression.logits(stepped, examples.x), atol=1e-5
        )


def test_a_functional_model_is_saved_for_tff(examples, logits, tmp_path):
    """What is loaded predicts the same, and takes the step of the same batch."""
    for name, model in (("named", _FUNCTIONAL), ("pairs", functional_model(pairs=True))):
        trained_models.save_functional_model(model, _WEIGHTS, tmp_path / name)
        loaded = tff.learning.models.load_functional_model(str(tmp_path / name))
        predictions = loaded.predict_on_batch(loaded.initial_weights, tf.constant(examples.x))
        np.testing.assert_allclose(predictions, logits, atol=1e-5)
    process = tff_weights.build_fed_avg(
        loaded, local_training=tff_weights.LocalTraining(0.1, batch_size=6, epochs=1)
    )
    data = [client_data(0, examples, pairs=True)]
    weights = process.get_model_weights(process.next(process.initialize(), data).state)
    stepped = _VECTOR - 0.1 * softmax_regression.gradient(_VECTOR, examples)
    np.testing.assert_allclose(to_vector(weights.trainable), stepped, atol=1e-6)
    with pytest.raises(TypeError, match="model"):
        trained_models.save_functional_model(_from_keras, _WEIGHTS, tmp_path / "keras")


def test_a_process_goes_on_from_saved_weights(tmp_path):
    trained_models.save_weights(_WEIGHTS, tmp_path / "weights.npz")
    loaded = trained_models.load_weights(tmp_path / "weights.npz", _from_keras)
    training = tff_weights.LocalTraining(learning_rate=0.1, batch_size=3, epochs=1)
    process = tff_weights.build_fed_avg(_from_keras, local_training=training)
    state = process.set_model_weights(process.initialize(), loaded)
    for held, array in zip(process.get_model_weights(state).trainable, _WEIGHTS.trainable):
        np.testing.assert_array_equal(held, array)


def test_weights_keep_their_order_past_ten(tmp_path):
    """`trainable_10` comes after `trainable_9`."""

    def build():
        return tff.learning.models.from_keras_model(
            tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=[2]) for _ in range(6)]),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            input_spec=(tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int32)),
        )

    arrays = [np.full(shape, i, np.float32) for i in range(6) for shape in ([2, 2], [2])]
    trained_models.save_weights(
        tff.learning.models.ModelWeights(arrays, []), tmp_path / "weights.npz"
    )
    loaded = trained_models.load_weights(tmp_path / "weights.npz", build)
    assert [int(array.flat[0]) for array in loaded.trainable] == [i // 2 for i in range(12)]


@pytest.mark.parametrize(
    "weights",
    [
        tff.learning.models.ModelWeights(_WEIGHTS.trainable[:1], ()),
        tff.learning.models.ModelWeights(
            tuple(np.float64(array) for array in _WEIGHTS.trainable), ()
        ),
        tff.learning.models.ModelWeights(_WEIGHTS.trainable, (np.zeros(1, np.float32),)),
    ],
    ids=["too few", "of another dtype", "too many"],
)
def test_weights_of_another_model_are_refused(weights, tmp_path):
    with pytest.raises(ValueError, match="weights"):
        trained_models.save_as_saved_model(_FUNCTIONAL, weights, tmp_path / "model")
    with pytest.raises(ValueError, match="weights"):
        trained_models.as_keras_model(_FUNCTIONAL, weights)
    trained_models.save_weights(weights, tmp_path / "weights.npz")
    with pytest.raises(ValueError, match="weights"):
        trained_models.load_weights(tmp_path / "weights.npz", _FUNCTIONAL)


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(ValueError, match="path"):
        trained_models.save_weights(_WEIGHTS, tmp_path / "weights.h5")
    (tmp_path / "weights.npz").write_bytes(b"nothing")
    (tmp_path / "empty.npz").touch()
    np.save(tmp_path / "array.npy", np.zeros(1))
    for name in ("weights.npz", "empty.npz", "array.npy"):
        with pytest.raises(ValueError, match="path"):
            trained_models.load_weights(tmp_path / name, _FUNCTIONAL)
