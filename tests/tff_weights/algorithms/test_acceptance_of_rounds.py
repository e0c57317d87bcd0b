"""Tests of `tff_weights.algorithms.acceptance`."""

import functools
import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights import LocalTraining, build_fed_veca, client_data


def _model():
    """One weight w, at first 2, and the loss (w − y)² / 2 of an example y."""
    spec = (tf.TensorSpec([None, 1], tf.float32), tf.TensorSpec([None, 1], tf.float32))

    @tf.function
    def predict(weights, x, training=True):
        return x * weights[0][0]

    def loss(y_true, y_pred, sample_weight=None):
        losses = tf.reduce_sum((y_pred - y_true) ** 2, axis=1) / 2
        weight = tf.ones_like(losses) if sample_weight is None else sample_weight
        return tf.math.divide_no_nan(tf.reduce_sum(losses * weight), tf.reduce_sum(weight))

    return tff.learning.models.FunctionalModel(
        initial_weights=((np.float32([2.0]),), ()),
        predict_on_batch_fn=predict,
        loss_fn=loss,
        input_spec=spec,
    )


def _client(index, *labels):
    y = np.float32(labels)[:, np.newaxis]
    return client_data(index, tf.data.Dataset.from_tensor_slices((np.ones_like(y), y)))


@functools.cache
def _process(learning_rate):
    return build_fed_veca(
        _model(),
        local_training=LocalTraining(learning_rate=learning_rate, batch_size=8, steps=2),
        num_clients=2,
        acceptance_loss="averaged_model",
    )


def _rounds(process, cohorts):
    state, judged, weights = process.initialize(), [], []
    for cohort in cohorts:
        state, metrics = process.next(state, cohort)
        judged.append(metrics["finalizer"]["judge"])
        weights.append(float(process.get_model_weights(state).trainable[0][0]))
    return state, judged, weights


def test_by_hand():
    """Two clients with the labels 0 and 2, and two steps of the rate 2.5, by which a client goes
    from w to y − 1.5 (w − y) and its gradients' mean is −0.25 (w − y). The server's step,
    −2.5 · 2 · −0.25 (w − 1), takes w − 1 to 2.25 (w − 1). The mean loss at w is
    ((w − 1)² + 1) / 2: 3.03125 at w_1 = 3.25, which is accepted as the first one, and
    (5.0625² + 1) / 2 = 13.31 at the next model, which is rejected. Of the local models of round 0
    the loss would be (4.5² / 2 + 0) / 2 = 5.0625."""
    _, judged, weights = _rounds(_process(2.5), [[_client(0, 0.0), _client(1, 2.0)]] * 2)
    assert [int(each["accepted"]) for each in judged] == [1, 0]
    expected = [(2.25**2 + 1) / 2, (5.0625**2 + 1) / 2]
    np.testing.assert_allclose([each["estimated_loss"] for each in judged], expected, rtol=1e-5)
    np.testing.assert_allclose(weights, [3.25, 3.25], rtol=1e-6)


@pytest.mark.parametrize("other", [_client(0, math.nan, 2.0), _client(2, 99.0)])
def test_a_client_without_a_loss_or_unknown_has_no_share(other):
    """Beside it is one at w − y = 2: the loss is that one's."""
    _, judged, weights = _rounds(_process(0.5), [[other, _client(1, 0.0)]])
    np.testing.assert_allclose(judged[0]["estimated_loss"], weights[0] ** 2 / 2, rtol=1e-5)


@pytest.mark.parametrize("label", [math.nan, 1e20])
def test_a_round_of_nobody_or_of_an_infinite_loss_is_not_accepted(label):
    state, judged, weights = _rounds(_process(0.5), [[_client(0, label)], [_client(1, 0.0)]])
    assert [int(each["accepted"]) for each in judged] == [0, 1]
    assert not math.isfinite(judged[0]["estimated_loss"])
    assert weights[0] == 2.0
    assert np.isfinite(state.finalizer["smallest_loss"])


def test_a_model_that_is_set_is_the_next_one():
    process = _process(0.5)
    given = tff.learning.models.ModelWeights((np.float32([7.0]),), ())
    state = process.set_model_weights(process.initialize(), given)
    assert float(process.get_model_weights(state).trainable[0][0]) == 7.0
    assert state.finalizer["smallest_loss"] == math.inf
