"""Tests of `leaf_data.models.own_model`, and of a task that is made of it."""

import collections
import random

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

import leaf_data
import tff_weights
from leaf_data.models.own_model import own_model
from leaf_data.synthetic import synthetic

_DATASET = synthetic(1.0, 1.0, num_clients=3, num_features=5, num_classes=4)


def _keras(dataset):
    shape = dataset.train.element_type_structure["x"].shape
    hidden = tf.keras.layers.Dense(6, activation="relu", input_shape=shape)
    return tf.keras.Sequential([hidden, tf.keras.layers.Dense(dataset.num_classes)])


def test_a_keras_models_weights_are_seeded():
    """The same in every build of a seed; the other generators go on as if nothing was."""
    tf.random.set_seed(5)
    tf.random.uniform([])
    second = tf.random.uniform([]).numpy()
    tf.random.set_seed(5)
    tf.random.uniform([])
    before = random.getstate(), np.random.get_state()[1].tolist()
    task = leaf_data.as_task(_DATASET, _keras)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert tf.random.uniform([]).numpy() == second
    first, again, other = (
        [variable.numpy() for variable in task.build_model(seed)().trainable_variables]
        for seed in (1, 1, 2)
    )
    assert [weight.shape for weight in first] == [(5, 6), (6,), (6, 4), (4,)]
    for one, same, different in zip(first, again, other):
        np.testing.assert_array_equal(one, same)
        assert not np.array_equal(one, different) or not np.any(one)


def test_tffs_own_kinds_are_taken_as_they_are():
    functional = leaf_data.as_task(_DATASET).build_model(3)
    given = []

    def build(dataset, seed):
        given.append((dataset, seed))
        return functional

    assert leaf_data.as_task(_DATASET, build).build_model(3) is functional
    assert given == [(_DATASET, 0), (_DATASET, 3)]

    def build_variable():
        return lambda: tff.learning.models.model_from_functional(functional)

    variable = leaf_data.as_task(_DATASET, build_variable).build_model(0)()
    assert isinstance(variable, tff.learning.models.VariableModel)


_SPEC = collections.OrderedDict(
    x=tf.TensorSpec([None, 5], tf.float32), y=tf.TensorSpec([None], tf.int32)
)


def _functional(predict):
    return tff.learning.models.FunctionalModel(
        initial_weights=((np.zeros([6, 4], np.float32),), ()),
        predict_on_batch_fn=tf.function(predict),
        loss_fn=tf.function(lambda output, label, sample_weight=None: tf.reduce_mean(output)),
        input_spec=_SPEC,
    )


def _from_keras(dataset):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return tff.learning.models.functional_model_from_keras(_keras(dataset), loss, _SPEC)


def _silent(weights, x, training):
    raise AssertionError


_SHAPES = {
    "image_logistic_regression": (5, 4),
    "le_net": (28, 28),
    "logistic_regression": (2, 3, 4, 5),
    "squared_svm": (28, 28),
    "next_character_lstm": (7,),
}


@pytest.mark.parametrize("name", _SHAPES)
def test_our_models_take_arrays_of_ones_own(name):
    """Bytes, where 255 becomes 1, and numbers, which stay as they are; symbols are no pixels."""
    bits = np.random.default_rng(0).integers(0, 2, (8, *_SHAPES[name]))
    largest = 255 if len(_SHAPES[name]) > 1 else 1
    x = (largest * bits).astype(np.uint8)
    dataset = leaf_data.from_arrays(x, np.arange(8) % 4, np.arange(8) % 2)
    task = leaf_data.as_task(dataset, name)
    batch = next(iter(dataset.train.create_tf_dataset_for_client("0").batch(4)))
    model = task.build_model(0)
    logits = model.predict_on_batch(model.initial_weights, batch["x"])
    assert np.isfinite(model.loss(logits, batch["y"]))
    if largest == 255:
        as_numbers = leaf_data.from_arrays(bits / 1.0, np.arange(8) % 4, np.arange(8) % 2)
        other = leaf_data.as_task(as_numbers, name).build_model(0)
        np.testing.assert_allclose(
            other.predict_on_batch(model.initial_weights, tf.cast(batch["x"], tf.float32) / 255),
            logits,
            rtol=1e-4,
            atol=1e-5,
        )


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("fed_adp_cnn", (784,), r"has x of the shape \(784,\); the model needs images"),
        ("le_net", (20, 20), "image_shape is .20, 20.; height and width must be 28"),
        ("sentiment_lstm", (4,), "has no vocabulary"),
        ("next_character_lstm", (4, 4), "the LSTM needs windows of symbols"),
    ],
)
def test_what_does_not_fit_is_a_sentence(name, shape, message):
    x = np.zeros((8, *shape), np.uint8)
    dataset = leaf_data.from_arrays(x, np.arange(8) % 4, np.arange(8) % 2)
    with pytest.raises(leaf_data.DataError, match=message):
        leaf_data.as_task(dataset, name)
    windows = leaf_data.from_arrays(np.full((4, 4), 5), np.arange(4) % 3, np.arange(4) % 2)
    with pytest.raises(leaf_data.DataError, match=r"symbols from 5 to 5 in x; .* be in 0\.\.2"):
        leaf_data.as_task(windows, "next_character_lstm")
    with pytest.raises(ValueError, match="model is 'le_nett'; it must be one of logistic_regressi"):
        leaf_data.as_task(dataset, "le_nett")


class _Subclassed(tf.keras.Model):
    """Its first layer to be named is the last to be called."""

    def __init__(self, units, activation=None, depth=1):
        super().__init__()
        self.outputs_of = tf.keras.layers.Dense(units, activation=activation)
        layers = [tf.keras.layers.Dense(6 if depth == 1 else 64, "relu") for _ in range(depth)]
        self.hidden = tf.keras.Sequential(layers)

    def call(self, x, training=None):
        return self.outputs_of(self.hidden(x))


@pytest.mark.parametrize(("activation", "depth"), [(None, 1), ("softmax", 1), ("softmax", 30)])
def test_a_subclassed_model_is_built_and_its_outputs_are_known(activation, depth):
    """The loss is that of NumPy: of the outputs themselves, or of their softmax."""
    model = own_model(lambda: _Subclassed(4, activation, depth), name="m").build(_DATASET, 0)()
    assert len(model.trainable_variables) == 2 + 2 * depth
    batch = next(iter(_DATASET.train.create_tf_dataset_for_client("f_00000").batch(20)))
    outputs = np.asarray(model.predict_on_batch(batch["x"], training=False), np.float64)
    if activation is None:
        outputs = np.exp(outputs) / np.exp(outputs).sum(1, keepdims=True)
    expected = -np.mean(np.log(outputs[np.arange(len(outputs)), batch["y"]]))
    assert float(model.forward_pass(batch).loss) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("activation", [None, tf.nn.sigmoid])
@pytest.mark.parametrize("output", [[], [tf.keras.layers.Reshape(())]])
def test_one_output_tells_two_classes_apart(activation, output):
    """With the binary cross entropy, and the accuracy of what lies above one half."""
    dataset = synthetic(num_clients=2, num_features=3, num_classes=2)
    task = leaf_data.as_task(
        dataset, lambda: tf.keras.Sequential([_Subclassed(1, activation), *output])
    )
    model = task.build_model(0)()
    batch = next(iter(dataset.train.create_tf_dataset_for_client("f_00000").batch(1000)))
    outputs = np.ravel(model.predict_on_batch(batch["x"], training=False)).astype(np.float64)
    share = outputs if activation else 1 / (1 + np.exp(-outputs))
    labels = np.asarray(batch["y"])
    expected = -np.mean(np.log(np.where(labels == 1, share, 1 - share)))
    assert float(model.forward_pass(batch).loss) == pytest.approx(expected, rel=1e-4)
    weights = tff.learning.models.ModelWeights.from_model(model)
    evaluate = tff_weights.build_per_client_evaluation(
        task.build_model(0), batch, [len(labels)], correct_fn=task.correct_fn
    )
    assert evaluate(weights).accuracies[0] == pytest.approx(np.mean((share > 0.5) == (labels == 1)))


@pytest.mark.parametrize("output", [[], [tf.keras.layers.Reshape(())]])
def test_a_data_set_of_numbers_is_a_regression(output):
    """The mean squared error, and MAE and R² as what is measured of each client."""
    x = np.random.default_rng(0).normal(size=[40, 3])
    dataset = leaf_data.from_arrays(x, x.sum(1), np.arange(40) % 2)
    task = leaf_data.as_task(dataset, lambda: tf.keras.Sequential([_Subclassed(1), *output]))
    model = task.build_model(0)()
    batch = next(iter(dataset.train.create_tf_dataset_for_client("0").batch(100)))
    errors = np.ravel(model.predict_on_batch(batch["x"], training=False)) - batch["y"]
    assert float(model.forward_pass(batch).loss) == pytest.approx(np.mean(errors**2), rel=1e-4)
    names = [(make().name, smaller_is_better) for make, smaller_is_better in task.metrics]
    assert names == [("mean_absolute_error", True), ("r2_score", False)]
    assert leaf_data.as_task(_DATASET, _keras).metrics == ()
    with pytest.raises(ValueError, match=r"numbers of the shape \(3,\); the labels .*shape \(\)"):
        own_model(lambda: _Subclassed(3), name="m").build(dataset, 0)


def _compiled(dataset):
    model = _keras(dataset)
    model.compile(loss="mse")
    return model


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (3, "model 'm' is a int; it must be a function"),
        (lambda units: None, "model 'm' takes 'units'; it is given 'dataset' and 'seed'"),
        (lambda: None, "model 'm' returned a NoneType; it must be a tf.keras.Model"),
        (
            lambda: _functional(lambda weights, x, training: x @ weights[0][0]),
            r"'m' cannot predict .*of the shape \(5,\)",
        ),
        (lambda: _functional(_silent), "'m' cannot predict an example of data set 'synthetic_1_1'"),
        (_from_keras, "model 'm' comes from functional_model_from_keras.* return the tf.keras.Mod"),
        (_compiled, "'m' is compiled"),
        (lambda: _Subclassed(1), "'m' gives 1 output; .* 4 classes"),
        (lambda: _Subclassed(3), "'m' gives 3 outputs; .* 4 classes"),
        (lambda: tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=[7])]), "'m' cannot"),
    ],
)
def test_what_is_no_model_of_the_data_set_is_one_sentence(build, message):
    with pytest.raises(ValueError, match=message) as error:
        own_model(build, name="m").build(_DATASET, 0)
    assert len(str(error.value).splitlines()) == 1
