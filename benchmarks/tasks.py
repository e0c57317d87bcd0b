"""The tasks: noise in the shapes of the real data sets, and the models that train on them.

A client's noise is made when somebody asks for it, so that clients that nobody asks cost nothing.
"""

from __future__ import annotations

import collections
from collections.abc import Callable

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from benchmarks.workload import Workload
from leaf_data import models
from leaf_data.client_data import ArrayClientData, row_splits_from_counts
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models import classification
from leaf_data.shakespeare.alphabet import ALPHABET
from leaf_data.tasks import Task

_IMAGE_SHAPE = (28, 28)
_NUM_FEATURES = 60  # Of the synthetic data sets.
_WINDOW_SIZE = 80  # Of Shakespeare's characters.
_NUM_TOKENS = 25  # Of a tweet.
_VOCABULARY_SIZE = 10_001  # The most frequent words, and one for all others.


def logistic_regression(workload: Workload) -> Task:
    """MLR with the synthetic data sets' 60 features and 10 classes."""
    return _task(
        _noise(workload, tf.TensorSpec([_NUM_FEATURES], tf.float32), num_classes=10),
        lambda seed: models.logistic_regression(
            num_features=_NUM_FEATURES, num_classes=10, seed=seed
        ),
        compile_with_xla=True,
    )


def convolutional_network(workload: Workload) -> Task:
    """FedAdp's CNN with 1,663,370 parameters on images like MNIST's."""
    return _task(
        _noise(workload, tf.TensorSpec(_IMAGE_SHAPE, tf.uint8), num_classes=10),
        lambda seed: models.fed_adp_cnn(image_shape=_IMAGE_SHAPE, num_classes=10, seed=seed),
    )


def shakespeare_lstm(workload: Workload) -> Task:
    """Two LSTM layers of 256 units on 80 characters."""
    num_symbols = len(ALPHABET)
    x = tf.TensorSpec([_WINDOW_SIZE], tf.uint8)
    return _task(
        _noise(workload, x, num_classes=num_symbols, num_values=num_symbols),
        lambda seed: models.next_character_lstm(
            num_symbols=num_symbols, window_size=_WINDOW_SIZE, seed=seed
        ),
    )


def sent140_lstm(workload: Workload) -> Task:
    """Two LSTM layers of 100 units on 25 words, each a learned vector of 300."""
    x = tf.TensorSpec([_NUM_TOKENS], tf.int32)
    return _task(
        _noise(workload, x, num_classes=2, num_values=_VOCABULARY_SIZE),
        lambda seed: models.sentiment_lstm(
            vocabulary_size=_VOCABULARY_SIZE, num_tokens=_NUM_TOKENS, seed=seed
        ),
    )


def sized_perceptron(workload: Workload, *, num_parameters: int) -> Task:
    """A perceptron of about so many parameters, whose examples stay as small as MLR's."""
    num_hidden = max(1, round(num_parameters / (_NUM_FEATURES + 1 + 10)))
    return _task(
        _noise(workload, tf.TensorSpec([_NUM_FEATURES], tf.uint8), num_classes=10),
        lambda seed: models.perceptron(
            image_shape=(_NUM_FEATURES,), num_hidden=num_hidden, num_classes=10, seed=seed
        ),
    )


def mnist_in_memory(workload: Workload) -> Task:
    """MLR on images like MNIST's, all clients in memory as an evaluation needs them."""
    generator = np.random.default_rng(0)
    num_examples = workload.num_clients * workload.examples
    clients = ArrayClientData.from_arrays(
        _client_ids(workload),
        collections.OrderedDict(
            x=generator.integers(256, size=(num_examples, *_IMAGE_SHAPE), dtype=np.uint8),
            y=generator.integers(10, size=num_examples, dtype=np.int32),
        ),
        row_splits_from_counts([workload.examples] * workload.num_clients),
    )
    return _task(
        FederatedDataset("noise", train=clients, test=clients, num_classes=10),
        lambda seed: models.image_logistic_regression(
            image_shape=_IMAGE_SHAPE, num_classes=10, seed=seed
        ),
        compile_with_xla=True,
    )


def _task(
    dataset: FederatedDataset,
    build_model: Callable[[int], tff.learning.models.FunctionalModel],
    *,
    compile_with_xla: bool = False,
) -> Task:
    return Task(
        name="benchmark",
        dataset=dataset,
        build_model=build_model,
        correct_fn=classification.correct,
        compile_with_xla=compile_with_xla,
    )


def _noise(
    workload: Workload, x: tf.TensorSpec, *, num_classes: int, num_values: int = 256
) -> FederatedDataset:
    """Returns clients whose examples are drawn from their ids.

    Args:
        workload: How many clients and examples.
        x: One example's features: floats are normal, integers uniform in `0..num_values-1`.
        num_classes: The labels are uniform in `0..num_classes-1`.
        num_values: See `x`.
    """
    shape = [workload.examples, *x.shape]

    def dataset_of(client_id: tf.Tensor) -> tf.data.Dataset:
        hashed = tf.strings.to_hash_bucket_fast(client_id, 2**31 - 1)
        for_x, for_y = tf.stack([hashed, 0]), tf.stack([hashed, 1])
        if x.dtype.is_floating:
            features = tf.random.stateless_normal(shape, for_x, dtype=x.dtype)
        else:
            uniform = tf.random.stateless_uniform(shape, for_x, 0, num_values, tf.int32)
            features = tf.cast(uniform, x.dtype)
        labels = tf.random.stateless_uniform(shape[:1], for_y, 0, num_classes, tf.int32)
        return tf.data.Dataset.from_tensor_slices(collections.OrderedDict(x=features, y=labels))

    clients = tff.simulation.datasets.ClientData.from_clients_and_tf_fn(
        _client_ids(workload), dataset_of
    )
    return FederatedDataset("noise", train=clients, test=clients, num_classes=num_classes)


def _client_ids(workload: Workload) -> list[str]:
    return [f"client_{index}" for index in range(workload.num_clients)]
