"""Models without labels, with several inputs or outputs, and networks that were never called."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference.problem import functional_model

import tff_weights
from tff_weights import LocalTraining, client_data, trained_models
from tff_weights.client_work import training_loop

_LOCAL = LocalTraining(learning_rate=0.1, batch_size=1, epochs=1)
_SIZES = (6, 9)
_CROSS_ENTROPY = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


class _Autoencoder(tff.learning.models.VariableModel):
    """`x ↦ x w wᵀ` of elements that are `{"pixels": x}`: nothing is called x or y."""

    def __init__(self):
        self._weight = tf.Variable(tf.ones([4, 1]) / 4)

    trainable_variables = property(lambda self: [self._weight])
    non_trainable_variables = property(lambda self: [])
    local_variables = property(lambda self: [])
    input_spec = property(lambda self: collections.OrderedDict(pixels=tf.TensorSpec([None, 4])))

    def predict_on_batch(self, x, training=True):
        return tf.matmul(x @ self._weight, self._weight, transpose_b=True)

    def forward_pass(self, batch_input, training=True):
        predictions = self.predict_on_batch(batch_input["pixels"])
        loss = tf.reduce_mean((predictions - batch_input["pixels"]) ** 2)
        return tff.learning.models.BatchOutput(loss, predictions, tf.shape(predictions)[0])

    def report_local_unfinalized_metrics(self):
        return collections.OrderedDict()

    def metric_finalizers(self):
        return collections.OrderedDict()

    def reset_metrics(self):
        pass


class _NeverCalled(tf.keras.Model):
    """A subclass, whose layer has no weights before the first call."""

    def __init__(self):
        super().__init__()
        self._layer = tf.keras.layers.Dense(3, kernel_initializer="zeros")

    def call(self, x):
        return self._layer(x)


def _features(size):
    return np.random.default_rng(size).normal(size=[size, 4]).astype(np.float32)


def _labels(size):
    return (np.arange(size) % 3).astype(np.int32)


def _from_keras(network, loss, x, y):
    return tff.learning.models.from_keras_model(
        network, loss=loss, input_spec=collections.OrderedDict(x=x, y=y)
    )


def _several_outputs():
    x = tf.keras.Input([4])
    layers = [tf.keras.layers.Dense(units, kernel_initializer="zeros") for units in (3, 1)]
    network = tf.keras.Model(x, [layer(x) for layer in layers])
    y = [tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 1])]
    losses = [_CROSS_ENTROPY, tf.keras.losses.MeanSquaredError()]
    return _from_keras(network, losses, tf.TensorSpec([None, 4]), y)


def _never_called():
    x, y = tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int32)
    return _from_keras(_NeverCalled(), _CROSS_ENTROPY, x, y)


def _ignoring():
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    spec = (tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int32))
    return _from_keras(_NeverCalled(), loss, *spec)


# The model and a client's examples, of so many.
_MODELS = {
    "no labels": (_Autoencoder, lambda n: collections.OrderedDict(pixels=_features(n))),
    "several outputs": (
        _several_outputs,
        lambda n: collections.OrderedDict(
            x=_features(n), y=(_labels(n), np.ones([n, 1], np.float32))
        ),
    ),
    **{
        name: (model, lambda n: collections.OrderedDict(x=_features(n), y=_labels(n)))
        for name, model in (("never called", _never_called), ("some ignored", _ignoring))
    },
}


def _cohort(examples):
    return [
        client_data(index, tf.data.Dataset.from_tensor_slices(examples(size)))
        for index, size in enumerate(_SIZES)
    ]


@pytest.mark.parametrize("kind", _MODELS)
def test_where_the_loss_alone_is_asked_for_any_model_will_do(kind, monkeypatch):
    """All weights are 0 but the autoencoder's: losses are those of guesses.

    Two of three classes wrong cost ln 3 = 1.0986, and a prediction of 0 for 1 costs 1 more. The
    autoencoder projects on the mean: `x w wᵀ` with w = ¼ is a sixteenth of the sum, everywhere.
    Batches of one example may have no label that counts, and then no loss.
    """
    monkeypatch.setattr(training_loop, "_EVALUATION_BATCH_SIZE", 1)
    model, examples = _MODELS[kind]
    process = tff_weights.build_q_fed_avg(model, local_training=_LOCAL, q=1.0)
    cohort = process.next(process.initialize(), _cohort(examples)).metrics["aggregator"]["cohort"]
    assert cohort["adds_nothing"] == 0
    for index, loss in zip(cohort["reports"]["client_index"], cohort["reports"]["loss_before"]):
        x = _features(_SIZES[index])
        expected = {
            "no labels": np.mean((x.sum(1, keepdims=True) / 16 - x) ** 2),
            "several outputs": np.log(3) + 1,
        }.get(kind, np.log(3))
        assert loss == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("model", [_Autoencoder, _several_outputs, _ignoring])
def test_a_tilt_over_examples_needs_a_model_that_shows_its_loss(model):
    with pytest.raises(ValueError, match="single examples .*(not show its loss|ignore_class)"):
        tff_weights.build_term(model, local_training=_LOCAL, example_tilt=1.0)


def test_a_tilt_over_examples_needs_a_mean_over_all_labels():
    def mean_of_counted(predictions, labels, sample_weight=None):
        del sample_weight
        counts = tf.cast(labels > 0, tf.float32)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, predictions)
        return tf.reduce_sum(counts * losses) / tf.reduce_sum(counts)

    model = functional_model(loss_fn=mean_of_counted)
    with pytest.raises(ValueError, match="mean over the labels that count"):
        tff_weights.build_term(model, local_training=_LOCAL, example_tilt=1.0)


def test_who_is_right_of_several_outputs_says_correct_fn():
    """By the first output alone: of zeros the first class is the largest, and a third have it."""
    model, examples = _MODELS["several outputs"]

    def first_is_right(predictions, labels):
        return tf.equal(tf.argmax(predictions[0], -1, tf.int32), labels[0])

    with pytest.raises(ValueError, match="correct_fn"):
        tff_weights.build_fed_fa(model, local_training=_LOCAL, num_clients=2)
    process = tff_weights.build_fed_avg(
        model, local_training=_LOCAL, measured="accuracy_before", correct_fn=first_is_right
    )
    output = process.next(process.initialize(), _cohort(examples))
    reports = output.metrics["aggregator"]["cohort"]["reports"]
    np.testing.assert_allclose(reports["accuracy_before"], [1 / 3, 1 / 3], rtol=1e-6)


def test_a_network_that_was_never_called_can_be_evaluated_and_saved(tmp_path):
    model, examples = _MODELS["never called"]
    kernel, bias = np.eye(4, 3, dtype=np.float32), np.zeros(3, np.float32)
    weights = tff.learning.models.ModelWeights([kernel, bias], [])
    found = tff_weights.build_per_client_evaluation(model, examples(6), [6])(weights)
    expected = np.mean(np.argmax(_features(6)[:, :3], axis=1) == _labels(6))
    assert found.accuracies[0] == pytest.approx(expected)
    trained_models.save_as_saved_model(model, weights, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_allclose(loaded.predict(_features(6)), _features(6)[:, :3], rtol=1e-6)
