"""Tests of `tff_weights.algorithms.measuring`, on one full-batch step whose gradient is known."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights import LocalTraining, build_fed_adp, build_fed_avg, build_wei_avg, client_data
from tff_weights.algorithms.measuring import with_measurements
from tff_weights.weightings.fed_adp import fed_adp_weighting
from tff_weights.weightings.plain import num_examples_weighting
from tff_weights.weightings.wei_avg import wei_avg_weighting

_RATE = 0.5
_LABELS = ([0, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 0])


def _model():
    @tf.function
    def predict(weights, x, training=True):
        return tf.matmul(x, weights[0][0])

    @tf.function
    def loss(output, y, sample_weight=None):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, output)
        return tf.reduce_mean(losses)

    return tff.learning.models.FunctionalModel(
        initial_weights=((np.zeros((2, 2), np.float32),), ()),
        predict_on_batch_fn=predict,
        loss_fn=loss,
        input_spec=(tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.int32)),
    )


def _cohort():
    generator = np.random.default_rng(3)
    return [
        client_data(
            index,
            tf.data.Dataset.from_tensor_slices(
                (
                    generator.normal(size=(len(labels), 2)).astype(np.float32),
                    np.array(labels, np.int32),
                )
            ),
        )
        for index, labels in enumerate(_LABELS)
    ]


def _round(build, **arguments):
    """One full-batch step of each client from zero weights."""
    local_training = LocalTraining(
        learning_rate=_RATE, batch_size=10, steps=1, learning_rate_decay=0.9
    )
    process = build(_model(), local_training=local_training, **arguments)
    output = process.next(process.initialize(), _cohort())
    cohort = output.metrics["aggregator"]["cohort"]
    return process.get_model_weights(output.state).trainable[0], cohort


def _gradients():
    """`−Δ_i / η`, of one full-batch step the gradient itself: `Xᵀ (softmax − y) / n` at 0."""
    gradients = []
    for index, labels in enumerate(_LABELS):
        generator = np.random.default_rng(3)
        for earlier in _LABELS[:index]:
            generator.normal(size=(len(earlier), 2))
        x = generator.normal(size=(len(labels), 2)).astype(np.float32)
        gradients.append(x.T @ (0.5 - np.eye(2)[labels]) / len(labels))
    return np.stack(gradients).reshape(len(_LABELS), -1)


def _by_client(cohort, field):
    reports = cohort["reports"]
    return np.asarray(reports[field])[np.argsort(reports["client_index"])]


def test_nothing_is_asked_for():
    weighting = num_examples_weighting()
    assert with_measurements(weighting) is weighting
    assert with_measurements(weighting, "") is weighting


def test_fed_avgs_divergence_is_measured_against_the_mean_by_examples():
    gradients, sizes = _gradients(), np.array([len(labels) for labels in _LABELS])
    mean = sizes @ gradients / sizes.sum()
    _, cohort = _round(build_fed_avg, measured="gradient_distance_to_mean, angle_to_mean")
    np.testing.assert_allclose(
        _by_client(cohort, "gradient_distance_to_mean"),
        np.linalg.norm(gradients - mean, axis=1),
        rtol=1e-4,
    )
    cosines = gradients @ mean / (np.linalg.norm(gradients, axis=1) * np.linalg.norm(mean))
    np.testing.assert_allclose(_by_client(cohort, "angle_to_mean"), np.arccos(cosines), rtol=1e-3)


@pytest.mark.parametrize("by", ["entropy", "projection"])
def test_wei_avg_measures_both_on_the_simple_mean_whatever_it_weighs_by(by):
    """Entropies: ln 2 of halves, 0 of one label, ln 2 again."""
    gradients = _gradients()
    mean = gradients.mean(axis=0)
    _, cohort = _round(build_wei_avg, by=by, measured="projection_on_mean,label_entropy")
    np.testing.assert_allclose(
        _by_client(cohort, "projection_on_mean"),
        _RATE * gradients @ mean / np.linalg.norm(mean),
        rtol=1e-4,
        atol=1e-6,
    )
    np.testing.assert_allclose(
        _by_client(cohort, "label_entropy"), [np.log(2), 0, np.log(2)], atol=1e-6
    )


@pytest.mark.parametrize(
    ("build", "arguments"),
    [
        pytest.param(build_fed_avg, {}, marks=pytest.mark.long),
        (build_fed_adp, {"num_clients": 3}),
        pytest.param(build_wei_avg, {"by": "projection", "exponent": 0.0}, marks=pytest.mark.long),
        pytest.param(build_fed_avg, {"weighting": "uniform"}, marks=pytest.mark.long),
        pytest.param(build_wei_avg, {"by": "entropy"}, marks=pytest.mark.long),
    ],
)
def test_what_is_measured_changes_nothing(build, arguments):
    measured = "gradient_distance_to_mean,projection_on_mean,label_entropy,num_examples"
    plain, plain_cohort = _round(build, **arguments)
    weights, cohort = _round(build, **arguments, measured=measured)
    np.testing.assert_array_equal(weights, plain)
    order, plain_order = (
        np.argsort(table["reports"]["client_index"]) for table in (cohort, plain_cohort)
    )
    np.testing.assert_array_equal(
        np.asarray(cohort["weights"])[order], np.asarray(plain_cohort["weights"])[plain_order]
    )
    assert set(measured.split(",")) <= set(cohort["reports"])


def test_the_weightings_own_mean_stays():
    field = "gradient_distance_to_mean"
    by_mean = {
        with_measurements(weighting, field).mean_weight
        for weighting in (num_examples_weighting(), fed_adp_weighting(num_clients=2))
    }
    assert by_mean == {"num_examples"}
    for weighting in (
        wei_avg_weighting(by="projection", multiply_by_num_examples=True),
        wei_avg_weighting(by="entropy"),
    ):
        assert with_measurements(weighting, field).mean_weight is None


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="measured must be names of .*, got 'angle,label_entropy'"):
        with_measurements(num_examples_weighting(), "angle,label_entropy")
