"""Tests of `tff_weights.algorithms.measuring`, on one full-batch step whose gradient is known."""

import functools

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights import LocalTraining, build_fed_avg, build_wei_avg, client_data

_RATE = 0.5
_MEASURED = "gradient_distance_to_mean,projection_on_mean,label_entropy,num_examples"
_LABELS = ([0, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 0])
_SIZES = np.array([len(labels) for labels in _LABELS])
_FEATURES = [
    np.random.default_rng(seed).normal(size=(size, 2)).astype(np.float32)
    for seed, size in enumerate(_SIZES)
]
# −Δ_i / η, of one full-batch step from zero weights: Xᵀ (softmax − y) / n.
_GRADIENTS = np.stack(
    [
        np.ravel(x.T @ (0.5 - np.eye(2)[labels])) / len(labels)
        for x, labels in zip(_FEATURES, _LABELS)
    ]
)


def _model():
    @tf.function
    def predict(weights, x, training=True):
        return tf.matmul(x, weights[0][0])

    @tf.function
    def loss(output, y, sample_weight=None):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, output))

    return tff.learning.models.FunctionalModel(
        initial_weights=((np.zeros((2, 2), np.float32),), ()),
        predict_on_batch_fn=predict,
        loss_fn=loss,
        input_spec=(tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.int32)),
    )


@functools.cache
def _round(build, **arguments):
    """The weights after one step of each client; what is published, by client."""
    local_training = LocalTraining(
        learning_rate=_RATE, batch_size=10, steps=1, learning_rate_decay=0.9
    )
    process = build(_model(), local_training=local_training, **arguments)
    clients = [
        client_data(i, tf.data.Dataset.from_tensor_slices((x, np.array(labels, np.int32))))
        for i, (x, labels) in enumerate(zip(_FEATURES, _LABELS))
    ]
    output = process.next(process.initialize(), clients)
    cohort = output.metrics["aggregator"]["cohort"]
    order = np.argsort(cohort["reports"]["client_index"])
    published = {"weights": cohort["weights"], **cohort["reports"]}
    return process.get_model_weights(output.state).trainable[0], {
        name: np.asarray(values)[order] for name, values in published.items()
    }


def test_fed_avgs_divergence_is_measured_against_the_mean_by_examples():
    mean = _SIZES @ _GRADIENTS / _SIZES.sum()
    _, published = _round(build_fed_avg, measured="gradient_distance_to_mean, angle_to_mean")
    distances = np.linalg.norm(_GRADIENTS - mean, axis=1)
    np.testing.assert_allclose(published["gradient_distance_to_mean"], distances, rtol=1e-4)
    cosines = _GRADIENTS @ mean / (np.linalg.norm(_GRADIENTS, axis=1) * np.linalg.norm(mean))
    np.testing.assert_allclose(published["angle_to_mean"], np.arccos(cosines), rtol=1e-3)


def test_wei_avg_measures_both_on_the_simple_mean():
    """Entropies: ln 2 of halves, 0 of one label, ln 2 again."""
    mean = _GRADIENTS.mean(axis=0)
    projections = _RATE * _GRADIENTS @ mean / np.linalg.norm(mean)
    _, published = _round(build_wei_avg, by="entropy", measured=_MEASURED)
    np.testing.assert_allclose(published["projection_on_mean"], projections, rtol=1e-4, atol=1e-6)
    entropies = [np.log(2), 0, np.log(2)]
    np.testing.assert_allclose(published["label_entropy"], entropies, atol=1e-6)


def test_what_is_measured_changes_nothing():
    plain, of_plain = _round(build_wei_avg, by="entropy")
    weights, published = _round(build_wei_avg, by="entropy", measured=_MEASURED)
    np.testing.assert_array_equal(weights, plain)
    np.testing.assert_array_equal(published["weights"], of_plain["weights"])
    assert set(_MEASURED.split(",")) <= set(published)
