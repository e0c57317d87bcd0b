"""Whatever has a state lives for one call of one client.

The numbers are those that TFF's own context gives; each is also plain from the graph.
"""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.program.graphs import Graph


def _static_table(number):
    """The place of 5 in a table of two keys."""
    keys = tf.stack([number, number + 1])
    initializer = tf.lookup.KeyValueTensorInitializer(keys, tf.range(2))
    return tf.lookup.StaticHashTable(initializer, -1).lookup(tf.constant(5))


def _size_of_table_in_function(number):
    @tf.function(autograph=False)
    def size(number):
        table = tf.raw_ops.MutableHashTableV2(
            key_dtype=tf.int32, value_dtype=tf.int32, shared_name="in a function"
        )
        insertion = tf.raw_ops.LookupTableInsertV2(
            table_handle=table, keys=[number], values=[number]
        )
        with tf.control_dependencies([insertion]):
            return tf.cast(tf.raw_ops.LookupTableSizeV2(table_handle=table), tf.int32)

    return size(number)


def _size_of_queue(number):
    queue = tf.queue.FIFOQueue(20, tf.int32, shapes=[()], shared_name="queue")
    with tf.control_dependencies([queue.enqueue(number)]):
        return queue.size()


def _sum_in_reference(number):
    return tf.compat.v1.assign_add(tf.compat.v1.Variable(10, use_resource=False), number)


def _sum_in_handles_of_one_name(number):
    first, second = (
        tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[], shared_name="twice") for _ in range(2)
    )
    with tf.control_dependencies([tf.raw_ops.AssignVariableOp(resource=first, value=number)]):
        return tf.raw_ops.ReadVariableOp(resource=second, dtype=tf.int32)


def _whether_handle_is_initialized(number):
    handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[], shared_name="never initialised")
    before = tf.cast(tf.raw_ops.VarIsInitializedOp(resource=handle), tf.int32)
    with tf.control_dependencies([before]):
        assign = tf.raw_ops.AssignVariableOp(resource=handle, value=number)
    with tf.control_dependencies([assign]):
        return tf.identity(before)


def _first_of_iterator(number):
    first = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(9)).get_next()
    return tf.cast(first, tf.int32) + 0 * number


def _sum_of_cached(number):
    dataset = tf.data.Dataset.range(3).map(lambda one: one + tf.cast(number, tf.int64)).cache()
    return tf.cast(dataset.reduce(np.int64(0), lambda one, other: one + other), tf.int32)


def _drawn_of_generator(number):
    return tf.random.Generator.from_seed(4).uniform([], 0, 1000, tf.int32) + 0 * number


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (_static_table, [0, 1, -1]),
        (_size_of_table_in_function, [1, 1, 1]),
        (_size_of_queue, [1, 1, 1]),
        (_sum_in_reference, [15, 14, 16]),
        (_sum_in_handles_of_one_name, [5, 4, 6]),
        (_whether_handle_is_initialized, [0, 0, 0]),
        (_first_of_iterator, [0, 0, 0]),
        (_sum_of_cached, [18, 15, 21]),
        (_drawn_of_generator, [324, 324, 324]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_no_state_outlives_a_call_or_is_shared_by_clients(compute, expected):
    numbers = [5, 4, 6]
    computation = tff.tensorflow.computation(compute, np.int32)
    assert [computation(number) for number in numbers] == expected

    @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
    def at_clients(numbers):
        return tff.federated_map(computation, numbers)

    assert at_clients(numbers) == at_clients(numbers) == expected
    assert tff.tensorflow.computation(compute, np.int32)(numbers[2]) == expected[2]


def test_a_fold_in_sessions():
    """As in functions: 1 + (10 + 2) · 1 for one client of 2, and so on."""

    @tff.tensorflow.computation(np.int32, np.int32)
    def add(accumulator, number):
        queue = tf.queue.FIFOQueue(20, tf.int32, shapes=[()])
        with tf.control_dependencies([queue.enqueue(number)]):
            return accumulator + (10 + number) * queue.size()

    graph = Graph(add.to_compiled_building_block(), lambda _: None)
    assert graph.fold(tf.constant(1), [tf.constant(2), tf.constant(3)]).numpy() == 1 + 12 + 13


def test_a_data_set_may_look_up_in_a_table_when_the_call_has_ended():
    @tff.tensorflow.computation(np.int32, tff.SequenceType(np.int32))
    def places(number, wanted):
        keys = tf.stack([number, number + 1])
        initializer = tf.lookup.KeyValueTensorInitializer(keys, tf.range(2))
        return wanted.map(tf.lookup.StaticHashTable(initializer, -1).lookup)

    results = [places(number, [4, 5, 6]) for number in (5, 4)]
    assert [list(result.as_numpy_iterator()) for result in results] == [[-1, 0, 1], [0, 1, -1]]


def test_strings_and_structures_pass_through_a_session():
    @tff.tensorflow.computation(tff.TensorType(np.str_, [None]), np.float32)
    def first_and_double(words, number):
        queue = tf.queue.FIFOQueue(20, tf.string, shapes=[()])
        with tf.control_dependencies([queue.enqueue(words[0])]):
            return {"word": queue.dequeue(), "all": words, "double": 2 * number}

    result = first_and_double(["a\0", "ä"], 1.5)
    assert result["word"] == b"a\0"
    assert result["all"].tolist() == [b"a\0", "ä".encode()]
    assert result["double"] == 3.0
