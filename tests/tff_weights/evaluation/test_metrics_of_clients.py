"""Tests of Keras metrics of each client, and of their statistics."""

import collections
import functools
import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights import build_own_model_evaluation, build_per_client_evaluation, client_statistics

_SIZES = (20, 0, 33, 7)
_metrics = tf.keras.metrics


def _model(units, loss, labels):
    spec = collections.OrderedDict(
        x=tf.TensorSpec([None, 4]), y=tf.TensorSpec([None, *labels.shape[1:]], labels.dtype)
    )

    def build():
        tf.keras.utils.set_random_seed(3)
        network = tf.keras.Sequential([tf.keras.layers.Dense(units, input_shape=[4])])
        return tff.learning.models.from_keras_model(network, loss, spec)

    return build


def _features():
    return np.random.default_rng(0).normal(size=[sum(_SIZES), 4]).astype(np.float32)


def _weights(build):
    return tff.learning.models.ModelWeights.from_model(build())


def _of_clients(x, y):
    bounds = np.cumsum((0, *_SIZES))
    return [(x[a:b], y[a:b]) for a, b in zip(bounds, bounds[1:])]


@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_regression_by_its_errors(shape):
    """Losses, MAE and R² of each client against NumPy, whatever the batches; no accuracy."""
    x = _features()
    y = (2 * x[:, 0] - x[:, 1]).astype(np.float32).reshape(-1, *shape)
    build = _model(1, tf.keras.losses.MeanSquaredError(), y)
    weights = _weights(build)
    examples = collections.OrderedDict(x=x, y=y)
    found = build_per_client_evaluation(
        build,
        examples,
        _SIZES,
        metrics=[_metrics.MeanAbsoluteError, _metrics.R2Score()],
        batch_size=5,
    )(weights)
    kernel, bias = weights.trainable
    for client, (of_x, of_y) in enumerate(_of_clients(x, y)):
        values = (
            found.losses[client],
            found.metrics["mean_absolute_error"][client],
            found.metrics["r2_score"][client],
        )
        if not len(of_y):
            assert np.isnan(values).all()
            continue
        of_y = of_y.reshape(-1)
        errors = (of_x @ kernel + bias)[:, 0] - of_y
        expected = (
            np.mean(errors**2),
            np.mean(np.abs(errors)),
            1 - np.sum(errors**2) / np.sum((of_y - of_y.mean()) ** 2),
        )
        np.testing.assert_allclose(values, expected, rtol=1e-4)
    assert np.isnan(found.accuracies).all()
    assert found.loss == pytest.approx(np.average(found.losses[[0, 2, 3]], weights=[20, 33, 7]))
    own = build_own_model_evaluation(build, examples, _SIZES, metrics=[_metrics.MeanAbsoluteError])
    values = own(lambda client: weights, [0] * 4).metrics["mean_absolute_error"]
    np.testing.assert_allclose(values, found.metrics["mean_absolute_error"], rtol=1e-5)


@pytest.mark.parametrize("way", ["index", "column", "one_hot"])
def test_a_classifier_by_f1(way):
    """The labels are shaped as each metric takes them; the accuracy is there as always."""
    x = _features()
    classes = np.clip(np.floor(x[:, 0] + 1.5), 0, 2).astype(np.int32)
    y = {
        "index": classes,
        "column": classes[:, None],
        "one_hot": np.eye(3, dtype=np.float32)[classes],
    }[way]
    loss = (
        tf.keras.losses.CategoricalCrossentropy(from_logits=True)
        if way == "one_hot"
        else tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )
    build = _model(3, loss, y)
    weights = _weights(build)
    metrics = [functools.partial(_metrics.F1Score, average="macro"), _metrics.CategoricalAccuracy]
    found = build_per_client_evaluation(
        build, collections.OrderedDict(x=x, y=y), _SIZES, metrics=metrics
    )(weights)
    np.testing.assert_allclose(found.metrics["categorical_accuracy"], found.accuracies, rtol=1e-6)
    kernel, bias = weights.trainable
    for client, (of_x, of_class) in enumerate(_of_clients(x, classes)):
        if not len(of_class):
            continue
        logits = np.asarray(of_x @ kernel + bias)
        f1_score = _metrics.F1Score(average="macro")(np.eye(3)[of_class], logits)
        assert found.metrics["f1_score"][client] == pytest.approx(float(f1_score), rel=1e-4)
        assert found.accuracies[client] == pytest.approx(np.mean(logits.argmax(1) == of_class))


def _distance(labels, outputs):
    """How far the largest output is from the class, as of grades."""
    return tf.abs(labels - tf.cast(tf.argmax(outputs, -1), labels.dtype))


def test_a_mean_of_the_users_own_function_gets_labels_as_they_are():
    """Of Keras' functions the name says what they take."""
    x, y = _features(), np.random.default_rng(1).integers(3, size=sum(_SIZES)).astype(np.int32)
    build = _model(3, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), y)
    top_2 = functools.partial(tf.keras.metrics.sparse_top_k_categorical_accuracy, k=2)
    metrics = [
        _metrics.MeanMetricWrapper(_distance, name="distance"),
        _metrics.MeanMetricWrapper(tf.keras.metrics.sparse_categorical_accuracy, name="right"),
        _metrics.MeanMetricWrapper(tf.keras.metrics.categorical_accuracy, name="also_right"),
        _metrics.MeanMetricWrapper(top_2, name="top_2"),
    ]
    evaluate = build_per_client_evaluation(build, {"x": x, "y": y}, _SIZES, metrics=metrics)
    weights = _weights(build)
    found = evaluate(weights)
    kernel, bias = weights.trainable
    for client, (of_x, of_y) in enumerate(_of_clients(x, y)):
        if len(of_y):
            order = np.argsort(np.asarray(of_x @ kernel + bias), axis=1)
            values = [values[client] for values in found.metrics.values()]
            right = np.mean(order[:, 2] == of_y)
            distance, top = np.mean(np.abs(order[:, 2] - of_y)), np.mean(order[:, 0] != of_y)
            np.testing.assert_allclose(values, [distance, right, right, top], rtol=1e-6)


def test_the_area_under_a_curve_needs_both_labels():
    """Of three clients, the second has no yes and the third no no."""
    y = np.float32([[1], [0], [0], [0], [1], [1]])
    examples = {"x": (2 * y - 1) @ np.eye(1, 4, dtype=np.float32), "y": y}
    build = _model(1, tf.keras.losses.BinaryCrossentropy(from_logits=True), y)
    metrics = [_metrics.AUC(from_logits=True), _metrics.AUC(curve="PR", name="pr")]
    evaluate = build_per_client_evaluation(build, examples, [2, 2, 2], metrics=metrics)
    weights = [np.eye(4, 1, dtype=np.float32), np.zeros(1, np.float32)]
    found = evaluate(tff.learning.models.ModelWeights(weights, [])).metrics
    np.testing.assert_array_equal(found["auc"], [1, math.nan, math.nan])
    assert np.isfinite(found["pr"]).all()


def test_labels_of_minus_one_are_a_no():
    """Of two clients all outputs are right or none; the error, 0 or 2, keeps the −1."""
    y = np.float32([[1], [-1], [-1], [1]])
    examples = {"x": np.float32([[1], [-1], [1], [-1]]) @ np.eye(1, 4, dtype=np.float32), "y": y}
    build = _model(1, tf.keras.losses.Hinge(), y)
    metrics = [_metrics.BinaryAccuracy(threshold=0), _metrics.AUC(), _metrics.MeanAbsoluteError()]
    evaluate = build_per_client_evaluation(build, examples, [2, 2], metrics=metrics)
    weights = [np.eye(4, 1, dtype=np.float32), np.zeros(1, np.float32)]
    found = evaluate(tff.learning.models.ModelWeights(weights, [])).metrics
    np.testing.assert_array_equal([*found.values()], [[1, 0], [1, 0], [0, 2]])


def test_metrics_of_keras_do_not_count_labels_that_the_loss_ignores():
    """Of two clients: one has texts of one and of three tokens, whose first is wrong, one has none.

    The model says what it is given. A right token costs ln(1 + 2 e^−5), the wrong one 5 more.
    """

    def build():
        network = tf.keras.Sequential(
            [
                tf.keras.layers.Input([4], dtype=tf.int32),
                tf.keras.layers.Embedding(3, 3, tf.keras.initializers.Constant(5 * np.eye(3))),
            ]
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
        spec = collections.OrderedDict.fromkeys(("x", "y"), tf.TensorSpec([None, 4], tf.int32))
        return tff.learning.models.from_keras_model(network, loss, spec)

    y = np.int32([[1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0]])
    examples = {"x": np.int32([[1, 2, 1, 1]] * 3), "y": y}
    # A metric that has not seen a label yet may not be able to give a number.
    errors = [_metrics.R2Score()]
    backwards = {name: values[::-1] for name, values in examples.items()}
    first = build_per_client_evaluation(build, backwards, [1, 2], metrics=errors, batch_size=1)
    assert math.isnan(first(_weights(build)).metrics["r2_score"][0])
    metrics = [_metrics.CategoricalAccuracy(), _metrics.SparseCategoricalAccuracy()]
    evaluate = build_per_client_evaluation(build, examples, [2, 1], metrics=metrics, batch_size=1)
    found = evaluate(_weights(build))
    for values in (found.accuracies, *found.metrics.values()):
        np.testing.assert_array_equal(values, [3 / 4, math.nan])
    loss = math.log(1 + 2 * math.exp(-5)) + 5 / 4
    np.testing.assert_allclose([*found.losses, found.loss], [loss, math.nan, loss], rtol=1e-5)
    together = build_per_client_evaluation(build, examples, [2, 1], batch_size=1)
    assert together(_weights(build)).loss == pytest.approx(loss)


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        ([3], TypeError, "metrics.*int"),
        ([lambda: 3], TypeError, "metrics.*int"),
        ([_metrics.MeanAbsoluteError] * 2, ValueError, "metrics.*mean_absolute_error"),
        (None, ValueError, "correct_fn.*metrics"),
    ],
)
def test_what_is_no_metric_is_refused(metrics, error, message):
    x, y = _features(), np.zeros(sum(_SIZES), np.float32)
    build = _model(1, tf.keras.losses.MeanSquaredError(), y)
    for evaluation in (build_per_client_evaluation, build_own_model_evaluation):
        with pytest.raises(error, match=message):
            evaluation(build, collections.OrderedDict(x=x, y=y), _SIZES, metrics=metrics)


def test_a_metric_of_several_numbers_is_refused():
    x, y = _features(), np.zeros(sum(_SIZES), np.int32)
    build = _model(3, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), y)
    examples = collections.OrderedDict(x=x, y=y)
    evaluate = build_per_client_evaluation(build, examples, _SIZES, metrics=[_metrics.F1Score])
    with pytest.raises(ValueError, match="metrics.*f1_score"):
        evaluate(_weights(build))


def test_statistics_of_errors_by_hand():
    """0.5, 1, 1.5, 2 and not a number, of clients of 1, 1, 1, 3 and 4 examples.

    The mean is 1.25, the worst of five parts the highest, 2, the variance 0.3125, and weighted
    (0.5 + 1 + 1.5 + 6) / 6 = 1.5.
    """
    found = client_statistics([0.5, 1, 1.5, 2, math.nan], [1, 1, 1, 3, 4], smaller_is_better=True)
    assert (found.average, found.worst_20, found.best_20) == (1.25, 2, 0.5)
    assert (found.variance, found.weighted_average, found.num_clients) == (0.3125, 1.5, 4)
    larger = client_statistics([0.5, 1, 1.5, 2])
    assert (larger.worst_20, larger.best_20) == (0.5, 2)
    assert math.isnan(client_statistics([-1.0, 0.5]).jain_index)


@pytest.mark.parametrize("values", [[math.nan, math.nan], [1.0], [[1.0, 2.0]]])
def test_values_that_say_nothing_are_refused(values):
    with pytest.raises(ValueError, match="values"):
        client_statistics(values, [1, 1])
