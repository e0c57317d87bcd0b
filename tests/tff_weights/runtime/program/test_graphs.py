from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.program import functions
from tff_weights.runtime.program.definition import Definition
from tff_weights.runtime.program.graphs import Graph


def _graph(computation, device=None):
    return Graph(computation.to_compiled_building_block(), lambda _: device)


@tff.tensorflow.computation(np.float32, np.float32)
def _add_halves(accumulator, number):
    return accumulator + number / np.float32(3.0)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 15, 16, 17, 37])
def test_a_fold_in_batches_is_the_fold_one_by_one_to_the_bit(count):
    """In floating point another order of the sum would show."""
    numbers = np.random.default_rng(count).normal(scale=1e3, size=count).astype(np.float32)
    graph = _graph(_add_halves)
    one_by_one = tf.constant(0.1)
    for number in numbers:
        one_by_one = graph((one_by_one, tf.constant(number)))
    in_batches = graph.fold(tf.constant(0.1), [tf.constant(number) for number in numbers])
    assert in_batches.numpy() == one_by_one.numpy()


@pytest.mark.parametrize("count", [0, 1, 2, 5, 16, 21])
def test_a_map_in_batches_is_the_map_one_by_one(count):
    @tff.tensorflow.computation(
        collections.OrderedDict(a=np.int32, b=tff.TensorType(np.int32, [2]))
    )
    def swap(pair):
        return pair["b"] + 1, pair["a"]

    graph = _graph(swap)
    results = graph.map([(tf.constant(n), tf.constant([n, 2 * n])) for n in range(count)])
    assert [(b.numpy().tolist(), a.numpy()) for b, a in results] == [
        ([n + 1, 2 * n + 1], n) for n in range(count)
    ]


def test_only_what_is_called_often_is_copied(monkeypatch):
    monkeypatch.setattr(functions, "_CALLS_BEFORE_COPIES", 3)
    graph = _graph(_add_halves)
    pairs = [(tf.constant(1.0), tf.constant(3.0))] * 2
    for copies in (1, 1, 16):
        assert graph._execution.most_copies == copies
        assert graph.map(pairs) == [2.0, 2.0]


def test_loops_outside_of_functions_are_not_copied():
    """Their frames have names, which two copies in one graph would share."""
    tf.compat.v1.disable_control_flow_v2()
    try:

        @tff.tensorflow.computation(np.int32)
        def doubled_beyond_100(number):
            return tf.while_loop(lambda x: x <= 100, lambda x: 2 * x, [number])[0]

    finally:
        tf.compat.v1.enable_control_flow_v2()
    graph = _graph(doubled_beyond_100)
    results = graph.map([tf.constant(number) for number in (1, 3, 50, 7)])
    assert [int(result) for result in results] == [128, 192, 200, 112]
    assert graph._execution.most_copies == 1


def test_nothing_waits_for_an_argument_that_is_not_a_placeholder_any_more():
    @tff.tensorflow.computation(np.float32)
    def one_after(number):
        with tf.control_dependencies([number]):
            return tf.random.uniform([], 1.0, 2.0)  # TensorFlow would fold a constant.

    assert 1.0 <= float(_graph(one_after)(tf.constant(7.0))) < 2.0


_UNNEEDED = {
    "random numbers": lambda unfed: tf.random.uniform(tf.shape(unfed)),
    "a variable": lambda unfed: tf.Variable(0.0, use_resource=True).assign_add(unfed),
    "an assertion": lambda unfed: tf.debugging.assert_positive(unfed),
    "a line that is printed": lambda unfed: tf.raw_ops.PrintV2(input=tf.as_string(unfed)),
}


@pytest.mark.parametrize("unneeded", _UNNEEDED.values(), ids=list(_UNNEEDED))
def test_what_no_result_needs_is_not_executed(unneeded):
    """As in a session; here each would end with a placeholder that nobody feeds."""

    @tff.tensorflow.computation(np.float32)
    def double(number):
        left_over = unneeded(tf.compat.v1.placeholder(tf.float32, []))
        with tf.compat.v1.colocate_with(left_over):
            return 2.0 * number

    assert _graph(double)(tf.constant(3.0)).numpy() == 6.0


def test_a_large_graph_is_not_copied():
    """16 copies of a constant of 4 MB would be 64 MB."""
    table = np.arange(10**6, dtype=np.float32)

    @tff.tensorflow.computation(np.int32)
    def look_up(index):
        return tf.gather(tf.constant(table), index)

    graph = _graph(look_up)
    assert graph.map([tf.constant(n) for n in (3, 5)]) == [3.0, 5.0]
    assert graph._execution.most_copies == 1


@pytest.mark.parametrize("draw", [tf.random.uniform, tf.random.normal, tf.random.truncated_normal])
def test_clients_draw_different_numbers_of_one_seed(draw):
    """As on TFF's worker, whose sessions go on from client to client; 40 draws are 40 numbers."""

    @tff.tensorflow.computation(np.float32)
    def drawn(number):
        return draw([], seed=3) + 0.0 * number

    graph = _graph(drawn)
    assert len({result.numpy() for result in graph.map([tf.constant(0.0)] * 40)}) == 40


def test_every_function_is_called_by_its_new_name_by_others_too():
    """TensorFlow may still know the old name from where the graph was made."""

    @tf.function
    def increment(x):
        return x + 1

    @tf.function
    def chosen(x):
        return tf.switch_case(x % 2, [lambda: increment(x), lambda: x])

    @tff.tensorflow.computation(np.int32)
    def loop(x):
        return tf.while_loop(lambda x: x < 10, lambda x: 1 + chosen(x), [x])[0]

    block = loop.to_compiled_building_block()
    old = tf.compat.v1.GraphDef()
    old.ParseFromString(block.proto.tensorflow.graph_def.value)
    new = Definition(block.proto.tensorflow).graph_def
    old_names, new_names = (
        {function.signature.name for function in graph.library.function} for graph in (old, new)
    )
    assert len(new_names) == len(old_names) >= 5 and not new_names & old_names
    called = {name for function in new.library.function for name in _called(function.node_def)}
    assert called & new_names and called.isdisjoint(old_names)
    assert called | set(_called(new.node)) >= new_names


def _called(nodes):
    """The operations of nodes, and the functions that their attributes name."""
    for node in nodes:
        yield node.op
        for attribute in node.attr.values():
            yield from (function.name for function in (attribute.func, *attribute.list.func))


def test_what_reads_data_sets_or_is_for_xla_is_known():
    @tff.tensorflow.computation(tff.SequenceType(np.int64))
    def total(numbers):
        return numbers.reduce(np.int64(0), lambda x, y: x + y)

    @tff.tensorflow.computation(np.float32)
    def compiled(number):
        return tf.function(lambda x: x + 1.0, jit_compile=True)(number)

    assert (_graph(total).reads_sequences, _graph(total).is_xla_program) == (True, False)
    assert (_graph(compiled).reads_sequences, _graph(compiled).is_xla_program) == (False, True)
    assert _graph(compiled)(tf.constant(1.0)).numpy() == 2.0


def test_graphs_without_results_without_argument_and_with_an_argument_as_result():
    @tff.tensorflow.computation
    def nothing():
        return ()

    @tff.tensorflow.computation
    def one():
        return tf.constant(1)

    assert _graph(nothing)() == ()

    @tff.tensorflow.computation(np.int32, np.int32)
    def first(a, b):
        del b
        return a, a

    assert _graph(one)().numpy() == 1
    assert [x.numpy() for x in _graph(first)((tf.constant(3), tf.constant(4)))] == [3, 3]


def test_a_graph_runs_on_the_device_that_is_chosen(monkeypatch):
    @tff.tensorflow.computation(np.float32)
    def double(number):
        return 2.0 * number

    asked_for = []
    device = tf.device
    monkeypatch.setattr(tf, "device", lambda name: asked_for.append(name) or device(name))
    for chosen in ("/device:CPU:0", None):
        graph = _graph(double, chosen)
        graph(tf.constant(1.0))  # Building the function may ask for devices of its own.
        asked_for.clear()
        assert graph(tf.constant(1.0)).numpy() == 2.0
        assert asked_for == ([chosen] if chosen else [])
