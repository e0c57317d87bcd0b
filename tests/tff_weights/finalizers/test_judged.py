"""Tests of `tff_weights.finalizers.judged`."""

import collections
import functools
import math

import numpy as np
import one_number
import pytest

from tff_weights import Verdict, build_judged_finalizer, build_server_momentum_finalizer

_APPLY, _KEEP, _RESTORE = (verdict.value for verdict in Verdict)


@functools.cache
def _finalizer(momentum=0.0, every_rounds=1):
    server_update = functools.partial(
        build_server_momentum_finalizer, momentum=momentum, every_rounds=every_rounds
    )
    return build_judged_finalizer(one_number.WEIGHTS, server_update=server_update)


def _run(finalizer, rounds, start=0.0):
    """Each round is (verdict, update); the model's number after each."""
    state, weights, numbers = finalizer.initialize(), one_number.weights(start), []
    for verdict, number in rounds:
        judged = collections.OrderedDict(
            update=one_number.update(number), verdict=np.int32(verdict)
        )
        output = finalizer.next(state, weights, judged)
        state, weights = output.state, output.result
        assert output.measurements["judge"]["verdict"] == verdict
        numbers.append(one_number.number_of(weights))
    return numbers


@pytest.mark.parametrize(
    ("momentum", "every_rounds", "verdicts", "expected"),
    [
        # Every update moves by 1: 1, 2, kept at 2, 3, back to 2.
        (0.0, 1, [_APPLY, _APPLY, _KEEP, _APPLY, _RESTORE], [1, 2, 2, 3, 2]),
        # Restoring twice goes back once.
        (0.0, 1, [_APPLY, _APPLY, _RESTORE, _RESTORE], [1, 2, 1, 1]),
        # A model that was kept is its own predecessor.
        (0.0, 1, [_APPLY, _KEEP, _RESTORE, _APPLY, _RESTORE], [1, 1, 1, 2, 1]),
        # γ = 1/2: m = −1, −1.5, w = 1, 2.5. Kept: 2.5 with m = −1.5. Then m = −1.75, w = 4.25.
        # Restored: 2.5 with m = −1.5. The next two are again m = −1.75, w = 4.25, and m = −1.875.
        (
            0.5,
            1,
            [_APPLY, _APPLY, _KEEP, _APPLY, _RESTORE, _APPLY, _APPLY],
            [1, 2.5, 2.5, 4.25, 2.5, 4.25, 6.125],
        ),
        # Momentum in every other round: w = 1; then Δw = 0 − 2, m = −2, w = 2. Restored to 1, in
        # the middle of the two rounds; the next is a momentum round again.
        (0.5, 2, [_APPLY, _APPLY, _RESTORE, _APPLY], [1, 2, 1, 2]),
    ],
)
def test_updates_of_minus_one_by_hand(momentum, every_rounds, verdicts, expected):
    rounds = [(verdict, -1) for verdict in verdicts]
    assert _run(_finalizer(momentum, every_rounds), rounds) == pytest.approx(expected)


def test_there_is_nothing_to_restore_in_the_first_round():
    """The model stays at 5; then m = −1."""
    assert _run(_finalizer(0.5), [(_RESTORE, -1), (_APPLY, -1)], start=5.0) == [5, 6]


@pytest.mark.parametrize("verdict", [_APPLY, _KEEP, _RESTORE])
def test_an_update_that_is_not_finite_is_never_applied(verdict):
    """In the round after it the model and its momentum, m = −1, are what they were: w = 1 + 1.5."""
    start = [(_APPLY, -1), (_KEEP, -1)]
    numbers = _run(_finalizer(0.5), [*start, (verdict, math.nan), (_APPLY, -1)])
    assert numbers == pytest.approx([1, 1, 1, 2.5])


def test_a_refused_update_does_not_change_what_is_restored():
    """It does not count as the last update that was applied."""
    assert _run(_finalizer(), [(_APPLY, -1), (_APPLY, math.nan), (_RESTORE, 0)]) == [1, 1, 0]
