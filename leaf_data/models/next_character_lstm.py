"""The model of Shakespeare: which character comes next, from the 80 before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.checks import check_integer, check_one_of
from leaf_data.models import classification
from leaf_data.models.batch import Batch
from leaf_data.models.embedding import embed, glorot_uniform
from leaf_data.models.layers import dense
from leaf_data.models.lstm import LstmWeights, initial_lstm_weights, last_output
from leaf_data.random_streams import random_stream

_SYMBOL_DTYPES = (tf.uint8, tf.int8, tf.uint16, tf.int16, tf.int32, tf.int64)


def next_character_lstm(
    *,
    num_symbols: int,
    window_size: int,
    seed: int,
    embedding_size: int = 8,
    num_units: int = 256,
    symbol_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds embedding – LSTM – LSTM – dense, with the cross entropy of the next symbol.

    Sizes and initial weights are as in LEAF's and FedProx's `shakespeare/stacked_lstm.py`, which
    FedFa uses. There are a learned embedding of 8, two layers of 256 units, and a dense layer to
    all symbols; all kernels are Glorot uniform.

    Args:
        num_symbols: The size of the alphabet, at least 2.
        window_size: The number of symbols that are read, at least 1.
        seed: The seed of the initial weights, a non-negative integer.
        embedding_size: The size of a symbol's embedding, at least 1.
        num_units: The number of units in each LSTM layer, at least 1.
        symbol_dtype: The dtype of the symbols, an integer's.

    Returns:
        A model of the input `Batch(x=[None, window_size] symbol_dtype, y=[None] int32)`. Its
        predictions are logits [batch, num_symbols], its metric is `accuracy`. Its trainable weights
        are float32: embedding [num_symbols, embedding_size]; for each LSTM layer its kernel,
        recurrent kernel and bias, see `LstmWeights`; dense kernel [num_units, num_symbols]; dense
        bias [num_symbols]. Its loss is the weighted mean if sample weights are given.

    Raises:
        ValueError: If an argument is out of range.
    """
    for name, value, least in (
        ("num_symbols", num_symbols, 2),
        ("window_size", window_size, 1),
        ("embedding_size", embedding_size, 1),
        ("num_units", num_units, 1),
    ):
        check_integer(name, value, least=least)
    check_one_of("symbol_dtype", symbol_dtype, _SYMBOL_DTYPES)
    generator = random_stream(seed, "initial weights")
    trainable = (
        glorot_uniform(generator, num_symbols, embedding_size),
        *initial_lstm_weights(num_inputs=embedding_size, num_units=num_units, generator=generator),
        *initial_lstm_weights(num_inputs=num_units, num_units=num_units, generator=generator),
        glorot_uniform(generator, num_units, num_symbols),
        np.zeros(num_symbols, np.float32),
    )

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        (embedding, *of_layers, dense_kernel, dense_bias), _ = model_weights
        layers = LstmWeights(*of_layers[:3]), LstmWeights(*of_layers[3:])
        inputs = embed(embedding, tf.cast(x, tf.int32))
        output = last_output(inputs, layers, training=training)
        return dense(output, dense_kernel, dense_bias)

    batch = Batch(
        x=tf.TensorSpec([None, window_size], symbol_dtype), y=tf.TensorSpec([None], tf.int32)
    )
    return classification.classifier((trainable, ()), predict_on_batch, batch)
