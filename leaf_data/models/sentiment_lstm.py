"""The model of Sent140: whether a tweet is positive, from its first words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.checks import check_integer
from leaf_data.models import classification
from leaf_data.models.batch import Batch
from leaf_data.models.embedding import embed, glorot_uniform
from leaf_data.models.layers import dense
from leaf_data.models.lstm import LstmWeights, initial_lstm_weights, last_output
from leaf_data.random_streams import random_stream

# GloVe's largest vectors, LEAF's and the papers'.
_LEARNED_SIZE = 300


def sentiment_lstm(
    *,
    vocabulary_size: int,
    num_tokens: int,
    seed: int,
    word_vectors: npt.NDArray[np.float32] | None = None,
    num_units: int = 100,
    num_classes: int = 2,
) -> tff.learning.models.FunctionalModel:
    """Builds embedding – LSTM – LSTM – dense, with the cross entropy of the classes.

    The embedding is fixed word vectors of any size, if they are given, or learned vectors of 300
    numbers. LEAF's and FedProx's code have two layers of 100 units (`sent140/stacked_lstm.py`;
    FedProx's paper says 256). FedFa says "a dense join layer". Decision: one dense layer to the two
    classes. Below its linear layer to one logit, FedProx's code has a linear layer of 30 units and
    LEAF's one of 128. There is no activation between, so the two are one linear map.

    Args:
        vocabulary_size: The number of rows of the embedding, unknown words included, at least 2.
        num_tokens: The number of words that are read, at least 1.
        seed: The seed of the initial weights, a non-negative integer.
        word_vectors: [vocabulary_size, size] float32, fixed; the papers' size is 300. None for a
            learned embedding.
        num_units: The number of units in each LSTM layer, at least 1.
        num_classes: The number of classes, at least 2: of tweets, negative and positive.

    Returns:
        A model of the input `Batch(x=[None, num_tokens] int32, y=[None] int32)`. Its predictions
        are logits [batch, num_classes], its metric is `accuracy`. Its trainable weights are
        float32: the embedding [vocabulary_size, 300], if it is learned; for each LSTM layer its
        kernel, recurrent kernel and bias; dense kernel [num_units, num_classes]; dense bias
        [num_classes]. Fixed word vectors are weights that are not trainable. Its loss is the
        weighted mean if sample weights are given.

    Raises:
        ValueError: If an argument is out of range, or the word vectors have another shape.
    """
    for name, value, least in (
        ("vocabulary_size", vocabulary_size, 2),
        ("num_tokens", num_tokens, 1),
        ("num_units", num_units, 1),
        ("num_classes", num_classes, 2),
    ):
        check_integer(name, value, least=least)
    size = _LEARNED_SIZE
    if word_vectors is not None:
        rows, *sizes = np.shape(word_vectors) or (0,)
        if rows != vocabulary_size or len(sizes) != 1 or not sizes[0]:
            raise ValueError(
                f"word_vectors has shape {np.shape(word_vectors)}; it must be ({vocabulary_size},"
                " size)."
            )
        (size,) = sizes
    generator = random_stream(seed, "initial weights")
    above_embedding = (
        *initial_lstm_weights(num_inputs=size, num_units=num_units, generator=generator),
        *initial_lstm_weights(num_inputs=num_units, num_units=num_units, generator=generator),
        glorot_uniform(generator, num_units, num_classes),
        np.zeros(num_classes, np.float32),
    )
    if word_vectors is None:
        embedding = glorot_uniform(random_stream(seed, "initial embedding"), vocabulary_size, size)
        initial_weights: Any = ((embedding, *above_embedding), ())
    else:
        initial_weights = (above_embedding, (word_vectors,))

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        trainable, fixed = model_weights
        embedding, *of_layers, dense_kernel, dense_bias = list(fixed) + list(trainable)
        layers = LstmWeights(*of_layers[:3]), LstmWeights(*of_layers[3:])
        output = last_output(embed(embedding, x), layers, training=training)
        return dense(output, dense_kernel, dense_bias)

    batch = Batch(x=tf.TensorSpec([None, num_tokens], tf.int32), y=tf.TensorSpec([None], tf.int32))
    return classification.classifier(initial_weights, predict_on_batch, batch)
