"""What labels are, how a loss tells it, and what is measured by it."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.any_model import local_model
from tff_weights.client_work.label_trial import format_of_mean, label_format
from tff_weights.client_work.labels import LabelFormat, LabelKind, NoAccuracyError
from tff_weights.client_work.local_data import LocalData
from tff_weights.client_work.reports import label_entropy, plan_report
from tff_weights.client_work.training_loop import correct_per_example

_losses = tf.keras.losses
_INDEX, _ONE_HOT = LabelFormat(LabelKind.INDEX), LabelFormat(LabelKind.ONE_HOT)
_LOGIT = LabelFormat(LabelKind.BINARY, threshold=0.0)
_PROBABILITY = LabelFormat(LabelKind.BINARY, threshold=0.5)


def _decide(loss, predictions, labels, dtype=tf.float32, *, of_outputs=tf.float32):
    return label_format(
        loss=None if loss is None else lambda output, label: loss(label, output),
        predictions=tf.TensorSpec([None, *predictions], of_outputs),
        labels=tf.TensorSpec([None, *labels], dtype),
    )


def _positives_count_tenfold(labels, predictions):
    """The threshold stays, though the losses are equal below."""
    outputs = tf.reshape(predictions, labels.shape)
    return tf.nn.weighted_cross_entropy_with_logits(labels, outputs, 10.0)


def _of_minus_one_and_one(labels, predictions):
    return tf.reduce_mean(tf.math.softplus(-labels * tf.reshape(predictions, labels.shape)))


def _of_cross_entropies(function):
    return lambda labels, predictions: function(
        tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(labels, tf.int32), predictions)
    )


def _dice(labels, predictions):
    """Of probabilities; beyond them it says nothing."""
    overlap = 2 * tf.reduce_sum(labels * predictions) + 1
    return 1 - overlap / (tf.reduce_sum(labels + predictions) + 1)


# Losses, shapes of predictions and labels without the batch's, and what the labels must be.
_DECIDED = [
    *(
        (_losses.SparseCategoricalCrossentropy(from_logits), predictions, labels, _INDEX)
        for from_logits in (False, True)
        for predictions, labels in (([2], []), ([10], [1]), ([5, 4], [5, 1]), ([None, 4], [None]))
    ),
    *(
        (loss, shape, shape, _ONE_HOT)
        for shape in ([2], [6, 3])
        for loss in (
            _losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
            _losses.CategoricalFocalCrossentropy(),
            _losses.CategoricalHinge(),
            _losses.KLDivergence(),
        )
    ),
    *(
        (loss, predictions, labels, expected)
        for predictions, labels in (([1], []), ([], []), ([1], [1]), ([], [1]), ([7, 1], [7]))
        for loss, expected in (
            (_losses.BinaryCrossentropy(), _PROBABILITY),
            (_losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1), _LOGIT),
            (_losses.BinaryFocalCrossentropy(), _PROBABILITY),
            (_losses.SquaredHinge(), _LOGIT),
            (_positives_count_tenfold, _LOGIT),
            (_of_minus_one_and_one, _LOGIT),
        )
    ),
    # What is flat in one place ignores no class.
    *(
        (_of_cross_entropies(function), [5], [], _INDEX)
        for function in (
            lambda losses: tf.math.top_k(losses, tf.maximum(tf.size(losses) // 2, 1)).values,
            lambda losses: tf.minimum(losses, 1.5),
        )
    ),
    # Several labels of an example have a loss each.
    *((_losses.BinaryCrossentropy(), shape, shape, _PROBABILITY) for shape in ([2], [4, 3])),
]


@pytest.mark.parametrize(("loss", "predictions", "labels", "expected"), _DECIDED)
def test_what_labels_are_is_told_by_the_loss_and_the_shapes(loss, predictions, labels, expected):
    """Class indices may be numbers of any type."""
    for dtype in (tf.int32, tf.uint8, tf.float32) if expected == _INDEX else (tf.float32,):
        assert _decide(loss, predictions, labels, dtype) == expected


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64], ids=lambda d: d.name)
def test_outputs_of_any_float_type(dtype):
    for loss, predictions, labels, expected in (
        (_losses.SparseCategoricalCrossentropy(), [3], [], _INDEX),
        (_losses.CategoricalCrossentropy(from_logits=True), [3], [3], _ONE_HOT),
        (_losses.BinaryCrossentropy(), [1], [1], _PROBABILITY),
        (_losses.BinaryCrossentropy(from_logits=True), [3], [3], _LOGIT),
    ):
        assert _decide(loss, predictions, labels, of_outputs=dtype) == expected
    with pytest.raises(NoAccuracyError):
        _decide(_losses.MeanSquaredError(), [3], [3], of_outputs=dtype)


def test_a_loss_that_is_infinite_at_a_label_is_no_sum():
    def relative_error(outputs, labels):
        return tf.reduce_mean(tf.abs(labels - outputs) / labels)

    assert format_of_mean(relative_error, tf.zeros([2, 1]), tf.zeros([2, 1])) is None
    with pytest.raises(ValueError, match="mean over the examples"):
        format_of_mean(lambda y, p: tf.reduce_sum((y - p) ** 2), tf.zeros([2, 1]), tf.zeros([2, 1]))


@pytest.mark.parametrize(
    ("loss", "predictions", "labels", "dtype"),
    [
        *(
            (loss, predictions, labels, dtype)
            for loss in (_losses.MeanSquaredError(), _losses.Huber(), _losses.Poisson())
            for predictions, labels in (([1], []), ([], []), ([1], [1]), ([3], [3]), ([4, 1], [4]))
            for dtype in (tf.float32, tf.int32)
        ),
        (_losses.SparseCategoricalCrossentropy(), [3], [5], tf.int32),
        (None, [3], [], tf.float32),
        (None, [1], [], tf.int32),
        (lambda y, p: tf.reduce_mean(tf.abs(y[:, None] - p)), [3], [], tf.float32),  # Quantiles.
        (_dice, [1], [1], tf.float32),
    ],
)
def test_a_regression_or_what_is_not_known_has_no_accuracy(loss, predictions, labels, dtype):
    with pytest.raises(NoAccuracyError, match="correct_fn"):
        _decide(loss, predictions, labels, dtype)
    assert _decide(None, [3], [], tf.int32) == _INDEX


def test_labels_that_the_loss_ignores():
    """Keras says which, also for the entropy."""
    keras_loss = _losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=2)
    spec = collections.OrderedDict(x=tf.TensorSpec([None, 2]), y=tf.TensorSpec([None], tf.int32))
    of_keras = local_model(
        lambda: tff.learning.models.from_keras_model(
            tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=[2])]), keras_loss, spec
        )
    )
    assert of_keras.label_format.ignored == (2,)
    assert plan_report(of_keras, ("label_entropy",)).label_format.ignored == (2,)


@pytest.mark.parametrize("ignored", [-100, -1, 0, 1, 255])
def test_labels_that_a_loss_of_ones_own_ignores(ignored):
    """Its loss is 0 for a label that it ignores; those are tried that are common."""

    def loss(labels, predictions):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.where(labels == ignored, 0, labels), logits=predictions
        )
        counts = tf.cast(labels != ignored, tf.float32)
        return tf.math.divide_no_nan(tf.reduce_sum(losses * counts), tf.reduce_sum(counts))

    assert _decide(loss, [5, 3], [5], tf.int32) == LabelFormat(LabelKind.INDEX, ignored=(ignored,))


@pytest.mark.parametrize(
    ("found", "predictions", "labels", "expected"),
    [
        (_INDEX, [[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], [[1], [1], [1]], [1, 0, 1]),
        (_INDEX, [[np.nan, np.nan], [np.nan, 0.2]], [0, 1], [0, 0]),
        (_ONE_HOT, [[0.1, 0.9], [0.8, 0.2]], [[0.0, 1.0], [0.0, 1.0]], [1, 0]),
        (_PROBABILITY, [[0.4], [0.6], [0.6], [np.nan]], [0, 0, 1, 0], [1, 0, 1, 0]),
        (_LOGIT, [[0.4], [-0.6], [-0.4]], [-1, -1, 1], [0, 1, 0]),
        (_PROBABILITY, [[0.4, 0.6], [0.9, 0.1]], [[0, 1], [0, 0]], [[1, 1], [0, 1]]),
    ],
)
def test_who_is_right_by_hand(found, predictions, labels, expected):
    correct = found.correct(tf.constant(predictions), tf.constant(labels))
    np.testing.assert_array_equal(np.reshape(correct, np.shape(expected)), expected)


def _sequences():
    """Six sequences of five tokens of three classes each, padded with 0 after 1 to 5 of them."""
    rng = np.random.default_rng(0)
    labels = rng.integers(1, 3, size=[6, 5])
    labels[np.arange(5) >= np.array([1, 2, 3, 4, 5, 5])[:, None]] = 0
    return rng.normal(size=[6, 5, 3]).astype(np.float32), labels.astype(np.int32)


@pytest.mark.parametrize("weights", ["example", "token", "batch"])
def test_weights_of_ones_own(weights):
    """Of every example, of every token, and from a field of the batch that is no label."""
    predictions, labels = _sequences()
    of_examples = np.array([1, 2, 3, 0, 0, 1], np.float32)
    of_tokens = (labels > 0).astype(np.float32)
    batch = {"x": None, "y": labels, "w": of_examples}
    right = predictions.argmax(-1) == labels

    def correct_fn(predictions, labels, **unused):
        is_right = tf.equal(tf.argmax(predictions, -1), tf.cast(labels, tf.int64))
        return is_right, of_tokens if weights == "token" else of_examples

    def correct_of_batch(predictions, labels, batch):
        return correct_fn(predictions, labels)[0], batch["w"]

    total, counted = correct_per_example(
        correct_of_batch if weights == "batch" else correct_fn, tf.constant(predictions), batch
    )
    expected = of_tokens if weights == "token" else np.tile(of_examples[:, None], [1, 5])
    np.testing.assert_allclose(total, (right * expected).sum(1))
    np.testing.assert_allclose(counted, expected.sum(1))


def test_real_numbers_have_no_entropy():
    spec = collections.OrderedDict(x=tf.TensorSpec([None, 4]), y=tf.TensorSpec([None, 1]))
    network = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=[4])])
    model = tff.learning.models.from_keras_model(network, _losses.MeanSquaredError(), spec)
    with pytest.raises(ValueError, match="label_entropy"):
        plan_report(local_model(lambda: model), ("label_entropy",))


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ([[1, 2, 0], [1, 2, 0], [1, 1, 1]], LabelFormat(LabelKind.INDEX, ignored=(0,))),
        ([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], _ONE_HOT),
    ],
    ids=["tokens", "one-hot"],
)
def test_entropies_by_hand(labels, found):
    """Tokens 1, 1, 2 and 2, without their padding, and both classes once: ln 2. The third row is
    padding."""
    examples = {"x": None, "y": tf.constant(labels)}
    data = LocalData(tf.constant(0, tf.int64), examples, tf.constant(2))
    assert float(label_entropy(data, found)) == pytest.approx(np.log(2))
