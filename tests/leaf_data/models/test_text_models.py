"""Tests of the two models of text: `next_character_lstm` and `sentiment_lstm`."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.models import next_character_lstm, sentiment_lstm

_VECTORS = np.random.default_rng(0).normal(size=(7, 300)).astype(np.float32)


def _characters(**arguments):
    return next_character_lstm(**{"num_symbols": 80, "window_size": 80, "seed": 0, **arguments})


def _words(**arguments):
    return sentiment_lstm(**{"vocabulary_size": 7, "num_tokens": 25, "seed": 0, **arguments})


def _num_weights(weights) -> int:
    return sum(weight.size for weight in weights)


def test_next_character_model_is_the_papers():
    """640 embedding + 1,024·(8 + 256 + 1) + 1,024·(256 + 256 + 1) + 256·80 + 80 = 817,872."""
    model = _characters()
    assert model.input_spec == collections.OrderedDict(
        x=tf.TensorSpec([None, 80], tf.uint8), y=tf.TensorSpec([None], tf.int32)
    )
    trainable, fixed = model.initial_weights
    assert (_num_weights(trainable), fixed) == (817_872, ())
    assert trainable[0].shape == (80, 8)


def test_sentiment_model_learns_its_embedding_or_has_it_fixed():
    """Above the embedding: 400·(300 + 100 + 1) + 400·(100 + 100 + 1) + 100·2 + 2 = 241,002."""
    learned, fixed = _words(), _words(word_vectors=_VECTORS)
    assert (
        learned.input_spec
        == fixed.input_spec
        == collections.OrderedDict(
            x=tf.TensorSpec([None, 25], tf.int32), y=tf.TensorSpec([None], tf.int32)
        )
    )
    assert _num_weights(learned.initial_weights[0]) == 7 * 300 + 241_002
    assert learned.initial_weights[1] == ()
    assert _num_weights(fixed.initial_weights[0]) == 241_002
    np.testing.assert_array_equal(fixed.initial_weights[1][0], _VECTORS)
    for one, other in zip(learned.initial_weights[0][1:], fixed.initial_weights[0]):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("embedding_is_fixed", [True, False])
def test_sentiment_model_computes_the_same_with_both_embeddings(embedding_is_fixed):
    model = _words(word_vectors=_VECTORS if embedding_is_fixed else None)
    above = _words(seed=5).initial_weights[0][1:]
    weights = (above, (_VECTORS,)) if embedding_is_fixed else ((_VECTORS, *above), ())
    x = tf.constant(np.random.default_rng(1).integers(0, 7, (3, 25)), tf.int32)
    logits = model.predict_on_batch(weights, x, training=False)
    np.testing.assert_allclose(logits, _sentiment_by_keras(above, x), atol=1e-6)


def _sentiment_by_keras(above, x):
    *of_lstm, kernel, bias = above
    layers = [tf.keras.layers.LSTM(100, return_sequences=more) for more in (True, False)]
    rows = tf.gather(_VECTORS, x)
    tf.keras.Sequential(layers)(rows)
    for place, layer in enumerate(layers):
        layer.set_weights(of_lstm[3 * place : 3 * place + 3])
        rows = layer(rows)
    return tf.matmul(rows, kernel) + bias


@pytest.mark.parametrize("build", [_characters, _words])
def test_training_and_inference_agree(build):
    model = build()
    spec = model.input_spec["x"]
    x = tf.constant(np.random.default_rng(1).integers(0, 7, (4, spec.shape[1])), spec.dtype)
    outputs = [
        model.predict_on_batch(model.initial_weights, x, training=training)
        for training in (True, False)
    ]
    np.testing.assert_allclose(*outputs, atol=1e-6)


@pytest.mark.parametrize("build", [_characters, _words])
def test_seed_decides_the_initial_weights(build):
    first, second, third = (build(seed=seed).initial_weights[0] for seed in (1, 1, 2))
    for place, weight in enumerate(first):
        np.testing.assert_array_equal(weight, second[place])
    assert not np.array_equal(first[0], third[0])


@pytest.mark.long
@pytest.mark.parametrize("build", [_characters, _words])
def test_tffs_own_federated_averaging_learns(build):
    """That the last symbol is what there is to foresee, in a few steps of small models."""
    model = build(num_units=8)
    spec = model.input_spec["x"]
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, 40).astype(np.int32)
    x = np.repeat(y[:, np.newaxis], spec.shape[1], axis=1).astype(spec.dtype.as_numpy_dtype)
    data = [tf.data.Dataset.from_tensor_slices(collections.OrderedDict(x=x, y=y)).batch(10)]
    process = tff.learning.algorithms.build_weighted_fed_avg(
        model_fn=model, client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.5)
    )
    state = process.initialize()
    accuracies = []
    for _ in range(12):
        output = process.next(state, data)
        state = output.state
        accuracies.append(output.metrics["client_work"]["train"]["accuracy"])
    assert accuracies[-1] == 1.0 > accuracies[0]


@pytest.mark.parametrize(
    ("build", "arguments", "message"),
    [
        (_characters, {"num_symbols": 1}, "num_symbols is 1"),
        (_characters, {"window_size": 0}, "window_size is 0"),
        (_characters, {"embedding_size": 0}, "embedding_size is 0"),
        (_characters, {"num_units": 0}, "num_units is 0"),
        (_characters, {"seed": -1}, "seed is -1"),
        (_words, {"vocabulary_size": 1}, "vocabulary_size is 1"),
        (_words, {"num_tokens": 0}, "num_tokens is 0"),
        (_words, {"num_units": 0}, "num_units is 0"),
        (_words, {"word_vectors": _VECTORS[:3]}, r"word_vectors has shape \(3, 300\)"),
        (_words, {"word_vectors": _VECTORS[:, :0]}, r"word_vectors has shape \(7, 0\)"),
        (_words, {"word_vectors": _VECTORS[:, 0]}, r"word_vectors has shape \(7,\)"),
    ],
)
def test_bad_arguments_are_refused(build, arguments, message):
    with pytest.raises(ValueError, match=message):
        build(**arguments)
