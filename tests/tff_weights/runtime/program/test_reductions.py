"""`tf.data.Dataset.reduce` gives in a loop of the graph what it gives by itself."""

from __future__ import annotations

import collections
import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.program import functions
from tff_weights.runtime.program.definition import Definition
from tff_weights.runtime.program.reductions import replace_reductions

_NUMBERS = tff.SequenceType(np.int32)


def _append(state, number):
    """Makes 123 of the numbers 1, 2 and 3, which shows their order."""
    return 10 * state + number


def _digits(numbers):
    return numbers.reduce(np.int32(0), _append)


def _captured(numbers):
    """Two states, a variable and a tensor from outside."""
    rate, one = tf.Variable(2), tf.constant(1)
    digits, length = numbers.reduce(
        (tf.constant(0), tf.constant(0)),
        lambda state, number: (_append(state[0], rate * number), state[1] + one),
    )
    return 1000 * length + digits


def _nested(numbers):
    """The sum of 0 + … + (n − 1) over the numbers n."""

    def add_all_below(state, number):
        below = tf.data.Dataset.range(tf.cast(number, tf.int64))
        return state + below.reduce(0, lambda total, each: total + tf.cast(each, tf.int32))

    return numbers.reduce(0, add_all_below)


def _growing(numbers):
    """As long as a state's shape is open, it may change."""
    return numbers.reduce(
        tf.boolean_mask([0], [False]), lambda state, number: tf.concat([state, [number]], 0)
    )


def _mapped(numbers):
    """A reduction inside of the function of a data set."""
    sums = numbers.map(lambda number: tf.data.Dataset.from_tensors(number).reduce(0, _append))
    return sums.reduce(0, _append)


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (_digits, 123),
        (tf.function(_digits), 123),
        (_captured, 3246),
        (_nested, 0 + 1 + 3),
        (_growing, [1, 2, 3]),
        (_mapped, 123),
    ],
)
@pytest.mark.parametrize("inlined", [False, True])
def test_the_result_is_that_of_the_elements_in_their_order(monkeypatch, function, result, inlined):
    replace = functools.partial(replace_reductions, inlined=inlined)
    monkeypatch.setattr(functions, "replace_reductions", lambda graph_def, **_: replace(graph_def))
    compute = tff.tensorflow.computation(function, _NUMBERS)
    assert _ops(compute)["ReduceDataset"] == 0
    assert np.array_equal(compute([1, 2, 3]), result)
    assert np.sum(compute([])) == 0
    assert np.array_equal(compute([1, 2, 3]), result)


def test_elements_have_their_structure():
    @tff.tensorflow.computation(tff.SequenceType(collections.OrderedDict(b=np.int32, a=np.str_)))
    def join(elements):
        return elements.reduce(
            tf.constant(""),
            lambda state, element: tf.strings.join(
                [state, element["a"], tf.strings.as_string(element["b"])]
            ),
        )

    assert join([{"a": "x", "b": 1}, {"a": "y", "b": 2}]) == b"x1y2"


def test_numbers_with_a_seed_begin_with_every_call():
    """As by itself, where a reduction makes its function ready in every call."""

    @tff.tensorflow.computation(_NUMBERS)
    def draw(numbers):
        return numbers.reduce(0.0, lambda state, _: state + tf.random.uniform([], seed=1))

    assert _ops(draw)["ReduceDataset"] == 1
    assert draw([1, 2]) == draw([1, 2])


def _ops(computation):
    """How often each operation is in a computation's graph once it was made ready."""
    graph_def = Definition(computation.to_building_block().proto.tensorflow).graph_def
    replace_reductions(graph_def)
    of_functions = (node for each in graph_def.library.function for node in each.node_def)
    return collections.Counter(node.op for node in (*graph_def.node, *of_functions))
