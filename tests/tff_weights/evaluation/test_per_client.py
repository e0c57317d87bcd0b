"""Tests of `tff_weights.evaluation.per_client`."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import softmax_regression
from reference.problem import (
    Examples,
    functional_model,
    initial_vector,
    make_clients,
    model_weights,
)

from tff_weights import build_own_model_evaluation, build_per_client_evaluation

_SIZES = (5, 0, 64, 1, 0, 130)


@pytest.fixture(scope="module")
def clients():
    return make_clients(_SIZES, seed=3)


def _pooled(clients):
    return collections.OrderedDict(
        x=np.concatenate([client.x for client in clients]),
        y=np.concatenate([client.y for client in clients]),
    )


def _check(evaluation, clients, vector):
    """Compares with a loop over the clients."""
    for examples, accuracy, count in zip(clients, evaluation.accuracies, evaluation.num_examples):
        assert count == len(examples.y)
        if count:
            assert accuracy == pytest.approx(softmax_regression.accuracy(vector, examples))
        else:
            assert np.isnan(accuracy)
    everything = Examples(**_pooled(clients))
    assert evaluation.loss == pytest.approx(softmax_regression.loss(vector, everything), rel=1e-5)


@pytest.mark.parametrize("batch_size", [1, 7, 64, 200, 4096])
def test_equals_a_loop_over_clients(clients, batch_size):
    evaluate = build_per_client_evaluation(
        functional_model(), _pooled(clients), _SIZES, batch_size=batch_size
    )
    evaluation = evaluate(model_weights())
    assert evaluation.accuracies.dtype == np.float64
    assert evaluation.num_examples.dtype == np.int64
    _check(evaluation, clients, initial_vector())


def test_evaluates_whatever_weights_it_is_given(clients):
    evaluate = build_per_client_evaluation(
        functional_model(), _pooled(clients), _SIZES, batch_size=50
    )
    for seed in (1, 2):
        _check(evaluate(model_weights(initial_vector(seed))), clients, initial_vector(seed))


def test_examples_that_are_pairs(clients):
    evaluate = build_per_client_evaluation(
        functional_model(pairs=True), tuple(_pooled(clients).values()), _SIZES
    )
    _check(evaluate(model_weights()), clients, initial_vector())


def test_models_that_hold_variables(clients):
    def model_fn():
        return tff.learning.models.model_from_functional(functional_model())

    evaluate = build_per_client_evaluation(model_fn, _pooled(clients), _SIZES, batch_size=50)
    for seed in (1, 2):
        _check(evaluate(model_weights(initial_vector(seed))), clients, initial_vector(seed))


def test_correctness_is_the_callers():
    """By hand: the examples' first features are ±1, and right is what is positive."""
    x = np.zeros((5, 4), np.float32)
    x[:, 0] = [1, -1, 1, 1, -1]
    examples = {"x": x, "y": np.zeros(5, np.int32)}

    def first_logit_is_positive(predictions, labels):
        return tf.cast(predictions[:, 0] > 0, tf.float32)

    vector = np.zeros(15)
    vector[0] = 1.0  # The first logit is the first feature.
    evaluate = build_per_client_evaluation(
        functional_model(), examples, [2, 3], correct_fn=first_logit_is_positive
    )
    np.testing.assert_allclose(evaluate(model_weights(vector)).accuracies, [1 / 2, 2 / 3])


@pytest.mark.parametrize("num_examples", [[3, 1], [3, 3], [], [0, 0]])
def test_counts_that_do_not_fit_are_refused(num_examples):
    examples = {"x": np.zeros((5, 4), np.float32), "y": np.zeros(5, np.int32)}
    with pytest.raises(ValueError, match=f"num_examples.*{sum(num_examples)}.*5"):
        build_per_client_evaluation(functional_model(), examples, num_examples)


def test_no_examples_at_all_are_refused():
    examples = {"x": np.zeros((0, 4), np.float32), "y": np.zeros(0, np.int32)}
    with pytest.raises(ValueError, match="num_examples"):
        build_per_client_evaluation(functional_model(), examples, [0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_examples": [6, -1]}, "num_examples.*-1"),
        ({"batch_size": 0}, "batch_size.*0"),
        ({"batch_size": -1}, "batch_size.*-1"),
    ],
)
def test_negative_numbers_are_refused(arguments, message):
    examples = {"x": np.zeros((5, 4), np.float32), "y": np.zeros(5, np.int32)}
    with pytest.raises(ValueError, match=message):
        build_per_client_evaluation(
            functional_model(), examples, **{"num_examples": [5], **arguments}
        )


@pytest.mark.parametrize("batch_size", [7, 4096])
def test_clients_with_models_of_their_own(clients, batch_size):
    """Each is compared with itself alone, and the loss is that of all examples together."""
    evaluate = build_own_model_evaluation(
        functional_model(), _pooled(clients), _SIZES, batch_size=batch_size
    )
    vectors = [initial_vector(seed) for seed in range(len(_SIZES))]
    evaluation = evaluate(lambda client: model_weights(vectors[client]), [0] * len(_SIZES))
    losses = 0.0
    for client, (vector, examples) in enumerate(zip(vectors, clients)):
        if not len(examples.y):
            assert np.isnan(evaluation.accuracies[client])
            continue
        expected = softmax_regression.accuracy(vector, examples)
        assert evaluation.accuracies[client] == pytest.approx(expected)
        losses += len(examples.y) * softmax_regression.loss(vector, examples)
    assert evaluation.loss == pytest.approx(losses / sum(_SIZES), rel=1e-5)
    np.testing.assert_array_equal(evaluation.num_examples, _SIZES)


def test_with_one_model_for_all_both_evaluations_are_the_same(clients):
    own = build_own_model_evaluation(functional_model(), _pooled(clients), _SIZES)
    shared = build_per_client_evaluation(functional_model(), _pooled(clients), _SIZES)
    expected = shared(model_weights())
    found = own(lambda client: model_weights(), [0] * len(_SIZES))
    np.testing.assert_allclose(found.accuracies, expected.accuracies)
    assert found.loss == pytest.approx(expected.loss, rel=1e-5)


def test_only_what_has_another_version_is_read_and_evaluated_anew(clients):
    """Clients 1 and 4 have no examples, and are never read."""
    read = []

    def weights_of(client):
        read.append(client)
        return model_weights(initial_vector(len(read)))

    evaluate = build_own_model_evaluation(functional_model(), _pooled(clients), _SIZES)
    first = evaluate(weights_of, [-1, -1, -1, -1, -1, -1])
    assert read == [0, 2, 3, 5]
    second = evaluate(weights_of, [-1, 0, 0, -1, 0, 3])
    assert read[4:] == [2, 5]
    for client in (0, 3):
        assert second.accuracies[client] == first.accuracies[client]
    for client, seed in ((2, 5), (5, 6)):
        expected = softmax_regression.accuracy(initial_vector(seed), clients[client])
        assert second.accuracies[client] == pytest.approx(expected)
    assert first.accuracies is not second.accuracies


@pytest.mark.parametrize("arguments", [{"num_examples": [4]}, {"batch_size": 0}])
def test_what_does_not_fit_is_refused_for_own_models_too(arguments):
    examples = {"x": np.zeros((5, 4), np.float32), "y": np.zeros(5, np.int32)}
    with pytest.raises(ValueError, match=next(iter(arguments))):
        build_own_model_evaluation(
            functional_model(), examples, **{"num_examples": [5], **arguments}
        )
