"""TFF's own algorithms give the same inside the program as on TFF's worker."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

_SPEC = collections.OrderedDict(
    x=tf.TensorSpec([None, 3], tf.float32), y=tf.TensorSpec([None, 1], tf.int32)
)


def _keras_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input([3]),
            tf.keras.layers.Dense(4, kernel_initializer=tf.keras.initializers.GlorotNormal(seed=1)),
        ]
    )
    return tff.learning.models.from_keras_model(
        model,
        input_spec=_SPEC,
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[tf.keras.metrics.SparseCategoricalAccuracy()],
    )


_LEARNING = {
    "weighted MimeLite": lambda: tff.learning.algorithms.build_weighted_mime_lite(
        _keras_model, base_optimizer=tff.learning.optimizers.build_sgdm(0.1, momentum=0.9)
    ),
    "evaluation": lambda: tff.learning.algorithms.build_fed_eval(_keras_model),
    "k-means": lambda: tff.learning.algorithms.build_fed_kmeans(
        num_clusters=3, data_shape=(3,), random_seed=(1, 2)
    ),
}


def _cohort(seed, sizes=(7, 1, 12)):
    generator = np.random.default_rng(seed)
    return [
        tf.data.Dataset.from_tensor_slices(
            collections.OrderedDict(
                x=generator.normal(size=(size, 3)).astype(np.float32),
                y=generator.integers(4, size=(size, 1)).astype(np.int32),
            )
        ).batch(4)
        for size in sizes
    ]


def _rounds(name):
    """Returns the flattened outputs of three rounds."""
    process = _LEARNING[name]()
    state, outputs = process.initialize(), []
    for seed in range(3):
        cohort = _cohort(seed)
        if name == "k-means":
            cohort = [client.unbatch().map(lambda example: example["x"]) for client in cohort]
        output = process.next(state, cohort)
        state = output.state
        outputs.append(output)
    return tf.nest.flatten(outputs)


@pytest.mark.parametrize("name", _LEARNING)
def test_a_learning_process(call_in_tffs_context, name):
    here, there = _rounds(name), call_in_tffs_context(_rounds, name)
    assert len(here) == len(there)
    for one, other in zip(here, there):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)
