"""Random computations and TFF's own algorithms give the same here and on TFF's worker."""

from __future__ import annotations

import collections

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

_VECTOR = tff.TensorType(np.float32, [3])
_CLIENT = tff.to_type(
    collections.OrderedDict(
        number=np.int32, vector=_VECTOR, data=tff.SequenceType(tff.TensorType(np.float32, [3]))
    )
)


@tff.tensorflow.computation(_CLIENT)
def _reduce(client):
    """Uses the data set and a variable, which TFF initialises in every call."""
    total = tf.Variable(tf.zeros([3]), use_resource=True)
    with tf.control_dependencies([total.assign_add(client["vector"])]):
        start = total.read_value()
    return client["data"].reduce(start, lambda state, example: state + 0.5 * example)


@tff.tensorflow.computation(_CLIENT)
def _scale(client):
    return tf.cast(client["number"], tf.float32) * client["vector"]


@tff.tensorflow.computation(_VECTOR)
def _halve(vector):
    @tf.function
    def halve(x):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: 0.5 * x, lambda: 0.25 * x)

    return halve(vector)


@tff.tensorflow.computation(_VECTOR, _VECTOR)
def _mix(one, other):
    return one + 0.5 * tf.reverse(other, [0])


@tff.tensorflow.computation
def _start():
    return tf.constant([1.0, -1.0, 0.5])


@tff.federated_computation(_VECTOR, _VECTOR)
def _mix_twice(one, other):
    return _mix(_mix(one, other), other)


# What can be done next with the vectors at hand: each takes one at clients and one at the server,
# and gives another, with where it is.
_AT_CLIENTS = {
    "halve": lambda clients, server: tff.federated_map(_halve, clients),
    "mix with broadcast": lambda clients, server: tff.federated_map(
        _mix, (clients, tff.federated_broadcast(server))
    ),
    "mix by a lambda": lambda clients, server: tff.federated_map(
        _mix_twice, tff.federated_zip((clients, tff.federated_broadcast(server)))
    ),
    "select from a zip": lambda clients, server: tff.federated_map(
        tff.federated_computation(lambda pair: pair["b"], [("a", _VECTOR), ("b", _VECTOR)]),
        tff.federated_zip(collections.OrderedDict(a=tff.federated_broadcast(server), b=clients)),
    ),
}
_AT_SERVER = {
    "sum": lambda clients, server: tff.federated_sum(clients),
    "mean": lambda clients, server: tff.federated_mean(clients),
    "min": lambda clients, server: tff.federated_min(clients),
    "max": lambda clients, server: tff.federated_max(clients),
    "aggregate": lambda clients, server: tff.federated_aggregate(
        clients, _start(), _mix, _mix, _halve
    ),
    "apply": lambda clients, server: tff.federated_map(_halve, server),
    "mix": lambda clients, server: tff.federated_map(_mix, (server, server)),
    "value": lambda clients, server: tff.federated_value(_start(), tff.SERVER),
    "eval": lambda clients, server: tff.federated_eval(_start, tff.SERVER),
}


_PROGRAMS = st.lists(
    st.tuples(st.sampled_from([*_AT_CLIENTS, *_AT_SERVER]), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=8,
)


def _computation(steps):
    @tff.federated_computation(
        tff.FederatedType(_CLIENT, tff.CLIENTS), tff.FederatedType(_VECTOR, tff.SERVER)
    )
    def compute(clients, server):
        at_clients = [tff.federated_map(_reduce, clients), tff.federated_map(_scale, clients)]
        at_server = [server]
        for name, one, other in steps:
            arguments = at_clients[one % len(at_clients)], at_server[other % len(at_server)]
            if name in _AT_CLIENTS:
                at_clients.append(_AT_CLIENTS[name](*arguments))
            else:
                at_server.append(_AT_SERVER[name](*arguments))
        return collections.OrderedDict(
            server=tff.federated_zip(tuple(at_server)),
            last=at_clients[-1],
            everywhere=tff.federated_broadcast(at_server[-1]),
        )

    return compute


def _clients(seed, number):
    generator = np.random.default_rng(seed)
    return [
        collections.OrderedDict(
            number=np.int32(generator.integers(-3, 4)),
            vector=generator.normal(size=3).astype(np.float32),
            data=tf.data.Dataset.from_tensor_slices(
                generator.normal(size=(generator.integers(0, 5), 3)).astype(np.float32)
            ),
        )
        for _ in range(number)
    ]


def _results(steps, seed, number):
    clients, server = _clients(seed, number), np.float32([0.5, -2.0, 1.0])
    result = _computation(steps)(clients, server)
    return type(result), tf.nest.flatten(result)


@hypothesis.settings(max_examples=10, derandomize=True)
@hypothesis.given(steps=_PROGRAMS, seed=st.integers(0, 2**20), number=st.integers(1, 20))
def test_random_computations_agree_with_tffs_worker(call_in_tffs_context, steps, seed, number):
    container, here = _results(steps, seed, number)
    its_container, there = call_in_tffs_context(_results, steps, seed, number)
    assert container is its_container
    for ours, its in zip(here, there):
        assert ours.dtype == its.dtype
        np.testing.assert_allclose(ours, its, rtol=1e-6, atol=1e-6)


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


def _rounds(name, *serialized):
    """Returns the flattened outputs of three rounds."""
    initialize, next_round = map(tff.framework.deserialize_computation, serialized)
    state, outputs = initialize(), []
    for seed in range(3):
        cohort = _cohort(seed)
        if name == "k-means":
            cohort = [client.unbatch().map(lambda example: example["x"]) for client in cohort]
        output = next_round(state, cohort)
        state = output["state"]
        outputs.append(output)
    return tf.nest.flatten(outputs)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "weighted MimeLite" else pytest.mark.long)
        for name in _LEARNING
    ],
)
def test_a_learning_process(call_in_tffs_context, name):
    process = _LEARNING[name]()
    parts = [*map(tff.framework.serialize_computation, (process.initialize, process.next))]
    here, there = _rounds(name, *parts), call_in_tffs_context(_rounds, name, *parts)
    assert len(here) == len(there)
    for one, other in zip(here, there):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)
