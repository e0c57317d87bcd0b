"""A small learning problem: multinomial logistic regression on a few clients' random examples."""

from __future__ import annotations

import collections
from typing import NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

import tff_weights

NUM_FEATURES = 4
NUM_CLASSES = 3
NUM_WEIGHTS = (NUM_FEATURES + 1) * NUM_CLASSES


class Examples(NamedTuple):
    """One client's examples: features [n, NUM_FEATURES] and labels [n]."""

    x: np.ndarray
    y: np.ndarray


def make_clients(sizes, seed=0):
    """Clients that differ in size, in where their features lie and in which labels prevail."""
    rng = np.random.default_rng(seed)
    clients = []
    for size in sizes:
        true_weights = rng.normal(size=(NUM_FEATURES, NUM_CLASSES))
        x = rng.normal(loc=rng.normal(size=NUM_FEATURES), size=(size, NUM_FEATURES))
        y = np.argmax(x @ true_weights + rng.gumbel(size=(size, NUM_CLASSES)), axis=1)
        clients.append(Examples(x.astype(np.float32), y.astype(np.int32)))
    return clients


def initial_vector(seed=0):
    """The initial weights as one vector [NUM_WEIGHTS]."""
    return np.random.default_rng([seed, 1]).normal(scale=0.3, size=NUM_WEIGHTS)


def to_arrays(vector):
    """The vector as the model's trainable weights, (W [NUM_FEATURES, NUM_CLASSES], b)."""
    split = NUM_FEATURES * NUM_CLASSES
    kernel = vector[:split].reshape(NUM_FEATURES, NUM_CLASSES)
    return kernel.astype(np.float32), vector[split:].astype(np.float32)


def to_vector(trainable):
    """The model's trainable weights as one vector of float64."""
    return np.concatenate([np.ravel(array) for array in trainable]).astype(np.float64)


def weighted_cross_entropy(logits, labels, sample_weight=None):
    """The mean cross entropy, weighted where there are weights."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    if sample_weight is None:
        return tf.reduce_mean(losses)
    return tf.math.divide_no_nan(
        tf.reduce_sum(tf.cast(sample_weight, losses.dtype) * losses),
        tf.cast(tf.reduce_sum(sample_weight), losses.dtype),
    )


def unweighted_cross_entropy(logits, labels, sample_weight=None):
    """The mean cross entropy of a user who forgot about the weights."""
    return weighted_cross_entropy(logits, labels)


def functional_model(vector=None, *, loss_fn=weighted_cross_entropy, pairs=False, dtype=tf.float32):
    """The model for TFF, computing in `dtype`.

    `pairs` says whether an example is (x, y) rather than {"x", "y"}.
    """

    @tf.function
    def predict_on_batch(model_weights, x, training=True):
        (kernel, bias), _ = model_weights
        return tf.matmul(tf.cast(x, dtype), kernel) + bias

    arrays = to_arrays(initial_vector() if vector is None else vector)
    x_spec, y_spec = tf.TensorSpec([None, NUM_FEATURES]), tf.TensorSpec([None], tf.int32)
    return tff.learning.models.FunctionalModel(
        initial_weights=(tuple(array.astype(dtype.as_numpy_dtype) for array in arrays), ()),
        predict_on_batch_fn=predict_on_batch,
        loss_fn=loss_fn,
        input_spec=(x_spec, y_spec) if pairs else collections.OrderedDict(x=x_spec, y=y_spec),
    )


def keras_model():
    """The model as a Keras network, for TFF."""
    return tff.learning.models.from_keras_model(
        tf.keras.Sequential([tf.keras.layers.Dense(NUM_CLASSES, input_shape=[NUM_FEATURES])]),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        functional_model().input_spec,
    )


def model_weights(vector=None):
    """The weights as TFF passes them around."""
    return tff.learning.models.ModelWeights(
        to_arrays(initial_vector() if vector is None else vector), ()
    )


def dataset(examples, *, pairs=False):
    """A client's unbatched examples."""
    element = tuple(examples) if pairs else collections.OrderedDict(x=examples.x, y=examples.y)
    return tf.data.Dataset.from_tensor_slices(element)


def client_data(index, examples, *, pairs=False):
    """A client as the library's processes take it."""
    return tff_weights.client_data(index, dataset(examples, pairs=pairs))


def batches(examples, *, batch_size, epochs, pairs=False):
    """A client as TFF's own processes take it, unshuffled."""
    return dataset(examples, pairs=pairs).batch(batch_size).repeat(epochs)
