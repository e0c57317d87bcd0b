"""Tests of `tff_weights.evaluation.per_client`."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import softmax_regression
from reference.problem import (
    functional_model,
    initial_vector,
    keras_model,
    make_clients,
    model_weights,
)

from tff_weights import build_own_model_evaluation, build_per_client_evaluation
from tff_weights.client_work.any_model import local_model

_SIZES = (5, 0, 64, 1, 0, 130)
_CLIENTS = make_clients(_SIZES, seed=3)
_POOLED = collections.OrderedDict(
    x=np.concatenate([client.x for client in _CLIENTS]),
    y=np.concatenate([client.y for client in _CLIENTS]),
)
_FIVE = {"x": np.zeros((5, 4), np.float32), "y": np.zeros(5, np.int32)}


def _check(evaluation, vectors):
    """Compares with a loop over the clients, each with its model."""
    losses = 0.0
    for client, (vector, examples) in enumerate(zip(vectors, _CLIENTS)):
        if not len(examples.y):
            assert np.isnan(evaluation.accuracies[client])
            continue
        expected = softmax_regression.accuracy(vector, examples)
        assert evaluation.accuracies[client] == pytest.approx(expected)
        losses += len(examples.y) * softmax_regression.loss(vector, examples)
    assert evaluation.loss == pytest.approx(losses / sum(_SIZES), rel=1e-5)
    assert evaluation.accuracies.dtype == np.float64
    assert evaluation.num_examples.dtype == np.int64
    np.testing.assert_array_equal(evaluation.num_examples, _SIZES)


_MODELS = {
    "functional": functional_model(),
    "pairs": functional_model(pairs=True),
    "variables": lambda: tff.learning.models.model_from_functional(functional_model()),
}


@pytest.mark.parametrize(
    ("kind", "batch_size"), [("functional", 64), ("pairs", 200), ("variables", 1)]
)
def test_equals_a_loop_over_clients(kind, batch_size):
    """With whatever weights it is given, one after the other."""
    evaluate = build_per_client_evaluation(
        _MODELS[kind],
        tuple(_POOLED.values()) if kind == "pairs" else _POOLED,
        _SIZES,
        batch_size=batch_size,
    )
    for seed in (1, 2):
        vector = initial_vector(seed)
        _check(evaluate(model_weights(vector)), [vector] * len(_SIZES))


def test_correctness_is_the_callers():
    """By hand: the examples' first features are ±1, and right is what is positive."""
    x = np.zeros((5, 4), np.float32)
    x[:, 0] = [1, -1, 1, 1, -1]
    vector = np.zeros(15)
    vector[0] = 1.0  # The first logit is the first feature.
    evaluate = build_per_client_evaluation(
        functional_model(),
        {**_FIVE, "x": x},
        [2, 3],
        correct_fn=lambda predictions, labels: tf.cast(predictions[:, 0] > 0, tf.float32),
    )
    np.testing.assert_allclose(evaluate(model_weights(vector)).accuracies, [1 / 2, 2 / 3])


@pytest.mark.parametrize("build", [build_per_client_evaluation, build_own_model_evaluation])
@pytest.mark.parametrize(
    ("size", "counts", "batch_size", "message"),
    [
        (5, [3, 1], 1, "num_examples.*4.*5"),
        (5, [3, 3], 1, "num_examples.*6.*5"),
        (5, [], 1, "num_examples.*0.*5"),
        (5, [6, -1], 1, "num_examples.*-1"),
        (5, [2.7, 3.9], 1, "num_examples.*2.7"),
        (0, [0, 0], 1, "num_examples"),
        (5, [5], 0, "batch_size.*0"),
    ],
)
def test_what_does_not_fit_is_refused(build, size, counts, batch_size, message):
    examples = {name: array[:size] for name, array in _FIVE.items()}
    with pytest.raises(ValueError, match=message):
        build(functional_model(), examples, counts, batch_size=batch_size)
    for y in (np.append(_FIVE["y"], 0), 0):
        with pytest.raises(ValueError, match="examples must be arrays of one length"):
            build(functional_model(), {**_FIVE, "y": y}, [5])


@pytest.mark.parametrize("build", [build_per_client_evaluation, build_own_model_evaluation])
def test_a_keras_model_may_come_before_its_process(build):
    """TFF builds in a graph, where Keras changes the classes of layers that exist already."""
    evaluate = build(keras_model, _POOLED, _SIZES, metrics=[])
    like = local_model(keras_model).initial_weights_computation()
    vectors = [initial_vector()] * len(_SIZES)
    weights = tf.nest.pack_sequence_as(like, model_weights(vectors[0]).trainable)
    own = build is build_own_model_evaluation
    _check(evaluate(lambda client: weights, range(6)) if own else evaluate(weights), vectors)


@pytest.mark.parametrize("batch_size", [7, 4096])
def test_clients_with_models_of_their_own(batch_size):
    """Only what has another version is read and evaluated; who has no examples is never read."""
    read = []

    def weights_of(client):
        read.append(client)
        weights = model_weights(initial_vector(len(read)))
        return weights if client else tff.learning.models.ModelWeights(list(weights.trainable), ())

    evaluate = build_own_model_evaluation(
        functional_model(), _POOLED, _SIZES, batch_size=batch_size
    )
    third = evaluate(lambda client: model_weights(), [None, None, None, -2, None, None])
    np.testing.assert_array_equal(np.isfinite(third.losses), np.arange(6) == 3)
    assert third.loss == pytest.approx(third.losses[3])
    first = evaluate(weights_of, [-1, -1, -1, -1, -1, -1])
    assert read == [0, 2, 3, 5]
    _check(first, [initial_vector(seed) for seed in (1, 0, 2, 3, 0, 4)])
    second = evaluate(weights_of, [-1, 0, 0, -1, 0, 3])
    assert read[4:] == [2, 5]
    _check(second, [initial_vector(seed) for seed in (1, 0, 5, 3, 0, 6)])
    assert first.accuracies is not second.accuracies
    with pytest.raises(ValueError, match="versions must have one for each of 6 clients"):
        evaluate(weights_of, [-1, 0])
