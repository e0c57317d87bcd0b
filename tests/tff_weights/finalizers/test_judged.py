"""Tests of `tff_weights.finalizers.judged`."""

from __future__ import annotations

import collections
import functools
import math

import numpy as np
import pytest
import tensorflow_federated as tff
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import (
    Verdict,
    apply_update,
    build_judged_finalizer,
    build_server_momentum_finalizer,
)

_TRAINABLE = tff.to_type((tff.TensorType(np.float32, [2]), np.float32))
_WEIGHTS = tff.to_type(
    tff.learning.models.ModelWeights(_TRAINABLE, (tff.TensorType(np.int32, [1]),))
)
_APPLY, _KEEP, _RESTORE = (verdict.value for verdict in Verdict)


def _update(number):
    return np.array([number, -number], np.float32), np.float32(2 * number)


@functools.cache
def _finalizer(momentum=0.0, every_rounds=1):
    return build_judged_finalizer(
        _WEIGHTS,
        server_update=functools.partial(
            build_server_momentum_finalizer, momentum=momentum, every_rounds=every_rounds
        ),
    )


def _run(finalizer, rounds, start=0.0):
    """Each round is (verdict, update); the number of which the model is made, after each."""
    state, numbers = finalizer.initialize(), []
    weights = tff.learning.models.ModelWeights(_update(start), (np.array([7], np.int32),))
    for verdict, update in rounds:
        judged_update = collections.OrderedDict(update=_update(update), verdict=np.int32(verdict))
        output = finalizer.next(state, weights, judged_update)
        state, weights = output.state, output.result
        vector, scalar = weights.trainable
        np.testing.assert_allclose(vector, [vector[0], -vector[0]])
        # TensorFlow takes the smallest of numbers, those without a leading 1, for 0.
        np.testing.assert_allclose(scalar, 2 * vector[0], rtol=1e-6, atol=1e-30)
        np.testing.assert_array_equal(weights.non_trainable[0], [7])
        assert output.measurements["judge"]["verdict"] == verdict
        numbers.append(float(vector[0]))
    return numbers


def test_types():
    finalizer = _finalizer(0.5)
    assert isinstance(finalizer, tff.learning.templates.FinalizerProcess)
    state, weights, update = finalizer.next.type_signature.parameter
    tff.test.assert_types_identical(state, finalizer.next.type_signature.result.state)
    tff.test.assert_types_identical(weights, finalizer.next.type_signature.result.result)
    tff.test.assert_types_identical(
        update,
        tff.FederatedType(collections.OrderedDict(update=_TRAINABLE, verdict=np.int32), tff.SERVER),
    )


def test_without_a_verdict_against_it_it_is_the_server_update():
    inner = build_server_momentum_finalizer(_WEIGHTS, momentum=0.5)
    state, expected = inner.initialize(), []
    weights = tff.learning.models.ModelWeights(_update(3.0), (np.array([7], np.int32),))
    for update in (-1.0, 0.5, 2.0):
        output = inner.next(state, weights, _update(update))
        state, weights = output.state, output.result
        expected.append(float(weights.trainable[0][0]))
    rounds = [(_APPLY, update) for update in (-1.0, 0.5, 2.0)]
    assert _run(_finalizer(0.5), rounds, start=3.0) == expected


def test_keeping_and_restoring_by_hand():
    """Every update moves by 1: 1, 2, kept at 2, 3, back to 2."""
    rounds = [(_APPLY, -1), (_APPLY, -1), (_KEEP, -1), (_APPLY, -1), (_RESTORE, -1)]
    assert _run(_finalizer(), rounds) == [1, 2, 2, 3, 2]


def test_momentum_goes_back_with_the_model_by_hand():
    """γ = 1/2, every update is −1. m = −1, −1.5: w = 1, 2.5.

    Kept: 2.5 with m = −1.5. Then m = −1.75, w = 4.25. Restored: 2.5 with m = −1.5. The next is
    again m = −1.75, w = 4.25, and the one after that m = −1.875, w = 6.125.
    """
    rounds = [_APPLY, _APPLY, _KEEP, _APPLY, _RESTORE, _APPLY, _APPLY]
    numbers = _run(_finalizer(0.5), [(verdict, -1) for verdict in rounds])
    assert numbers == pytest.approx([1, 2.5, 2.5, 4.25, 2.5, 4.25, 6.125])


def test_the_rounds_of_an_inner_update_go_back_with_the_model_by_hand():
    """Momentum in every other round, γ = 1/2: w = 1; then Δw = 0 − 2, m = −2, w = 2.

    Restored to 1, in the middle of the two rounds; the next is a momentum round again, w = 2.
    """
    rounds = [(_APPLY, -1), (_APPLY, -1), (_RESTORE, -1), (_APPLY, -1)]
    assert _run(_finalizer(0.5, 2), rounds) == pytest.approx([1, 2, 1, 2])


def test_restoring_twice_goes_back_once():
    rounds = [(_APPLY, -1), (_APPLY, -1), (_RESTORE, -1), (_RESTORE, -1)]
    assert _run(_finalizer(), rounds) == [1, 2, 1, 1]


def test_there_is_nothing_to_restore_in_the_first_round():
    assert _run(_finalizer(0.5), [(_RESTORE, -1), (_APPLY, -1)], start=5.0) == [5, 6]


def test_a_model_that_was_kept_is_its_own_predecessor():
    rounds = [(_APPLY, -1), (_KEEP, -1), (_RESTORE, -1), (_APPLY, -1), (_RESTORE, -1)]
    assert _run(_finalizer(), rounds) == [1, 1, 1, 2, 1]


@pytest.mark.parametrize("verdict", [_APPLY, _KEEP, _RESTORE])
def test_an_update_that_is_not_finite_is_never_applied(verdict):
    """In the round after it the model and its momentum, m = −1, are what they were: w = 1 + 1.5."""
    start = [(_APPLY, -1), (_KEEP, -1)]
    numbers = _run(_finalizer(0.5), [*start, (verdict, math.nan), (_APPLY, -1)])
    assert numbers == pytest.approx([1, 1, 1, 2.5])


@settings(deadline=None, max_examples=10)
@given(
    st.lists(
        st.tuples(st.sampled_from([_APPLY, _KEEP, _RESTORE]), st.floats(-5, 5, width=32)),
        min_size=6,
        max_size=6,
    )
)
def test_against_python(rounds):
    w, m, previous, expected = 0.0, 0.0, None, []
    for verdict, update in rounds:
        before = (w, m)
        if verdict == _APPLY:
            m = 0.5 * m + update
            w -= m
            previous = before
        else:
            if verdict == _RESTORE and previous is not None:
                w, m = previous
            previous = None
        expected.append(w)
    np.testing.assert_allclose(_run(_finalizer(0.5), rounds), expected, rtol=1e-5, atol=1e-5)


def test_it_wraps_any_finalizer():
    finalizer = build_judged_finalizer(_WEIGHTS, server_update=apply_update)
    assert _run(finalizer, [(_APPLY, -1), (_RESTORE, -1)], start=2.0) == [3, 2]
