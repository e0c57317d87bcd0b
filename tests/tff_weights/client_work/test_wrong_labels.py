"""Labels that are no classes, through the public API: that client is left out and counted."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

import tff_weights
from leaf_data.models import classification
from leaf_data.models.logistic_regression import logistic_regression
from tff_weights import LocalTraining, client_data

_BUILDERS = {
    "fed_avg": tff_weights.build_fed_avg,
    "fed_cav": lambda *a, **k: tff_weights.build_fed_cav(*a, audit=True, **k),
    "fed_fa": lambda *a, **k: tff_weights.build_fed_fa(*a, num_clients=4, **k),
}
_SPEC = collections.OrderedDict(
    x=tf.TensorSpec([None, 5], tf.float32), y=tf.TensorSpec([None], tf.int32)
)


def _cohort():
    """Three examples each; the second one's label is no class of clients 1 and 2."""
    for index, label in enumerate((1, 99, -1, 0)):
        x = np.random.default_rng(index).normal(size=(3, 5)).astype(np.float32)
        examples = collections.OrderedDict(x=x, y=np.array([0, label, 2], np.int32))
        yield client_data(index, tf.data.Dataset.from_tensor_slices(examples))


def _training(compiled):
    return LocalTraining(learning_rate=0.1, batch_size=2, epochs=2, compile_with_xla=compiled)


def _keras_model(loss):
    """As a user writes it, with a loss that averages the examples of a batch."""

    def build():
        layers = [tf.keras.layers.InputLayer([5]), tf.keras.layers.Dense(3)]
        return tff.learning.models.from_keras_model(
            tf.keras.Sequential(layers), loss=loss(from_logits=True), input_spec=_SPEC
        )

    return build


def _functional_model(cross_entropy):
    return tff.learning.models.FunctionalModel(
        initial_weights=((np.zeros([5, 3], np.float32),), ()),
        predict_on_batch_fn=tf.function(lambda weights, x, training=True: x @ weights[0][0]),
        loss_fn=tf.function(cross_entropy),
        input_spec=_SPEC,
    )


def _tensorflows_cross_entropy(logits, labels, sample_weight=None):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return classification.weighted_mean(losses, sample_weight)


_TENSORFLOWS = _functional_model(_tensorflows_cross_entropy)


@pytest.mark.parametrize(
    ("model", "compiled"),
    [
        (_keras_model(classification.KerasCrossEntropy), False),
        (_functional_model(classification.weighted_cross_entropy), False),
        (_TENSORFLOWS, True),
    ],
)
def test_with_a_loss_that_is_not_a_number_ones_own_model_leaves_it_out(model, compiled):
    """Of TensorFlow's own that is so under XLA."""
    process = tff_weights.build_fed_avg(model, local_training=_training(compiled))
    output = process.next(process.initialize(), list(_cohort()))
    counts = output.metrics["aggregator"]["cohort"]
    assert (counts["num_participants"], counts["num_left_out"]) == (2, 2)


@pytest.mark.parametrize(
    ("algorithm", "compiled"), [*((name, True) for name in _BUILDERS), ("fed_avg", False)]
)
def test_a_client_with_a_wrong_label_is_as_if_it_were_not_there(algorithm, compiled):
    model = logistic_regression(num_features=5, num_classes=3, seed=0)
    process = _BUILDERS[algorithm](model, local_training=_training(compiled))
    cohort = list(_cohort())
    state, expected = process.initialize(), process.initialize()
    for _ in range(2):
        state, metrics = process.next(state, cohort)
        counts = metrics["aggregator"]["cohort"]
        assert (counts["num_participants"], counts["num_left_out"]) == (2, 2)
        expected = process.next(expected, [cohort[0], cohort[3]]).state
    found, others = (process.get_model_weights(each).trainable for each in (state, expected))
    for one, other in zip(found, others):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
