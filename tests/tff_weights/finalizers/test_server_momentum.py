"""Tests of `tff_weights.finalizers.server_momentum`."""

import functools
import math

import numpy as np
import one_number
import pytest

from tff_weights import build_server_momentum_finalizer


@functools.cache
def _finalizer(momentum, every_rounds, learning_rate=1.0):
    return build_server_momentum_finalizer(
        one_number.WEIGHTS,
        momentum=momentum,
        learning_rate=learning_rate,
        every_rounds=every_rounds,
    )


def _run(finalizer, updates, start=0.0):
    """The model's number after each round, and how many updates were rejected."""
    state, weights, numbers, rejected = finalizer.initialize(), one_number.weights(start), [], 0
    for update in updates:
        output = finalizer.next(state, weights, one_number.update(update))
        state, weights = output.state, output.result
        numbers.append(one_number.number_of(weights))
        rejected += output.measurements["update_non_finite"]
    return numbers, rejected


_MINUS_ONE = [-1] * 6


@pytest.mark.parametrize(
    ("parameters", "updates", "start", "expected"),
    [
        # m = −1, −1.5, −1.75; w = 1, 2.5, 4.25.
        ((np.float64(0.5), np.int64(1), np.float64(1)), [-1] * 3, 0.0, [1, 2.5, 4.25]),
        # Rounds 0 and 1 take the clients' mean: 1, 2. In round 2 it is 3 while the last momentum
        # round's model is the initial 0: Δw = 0 − 3, m = −3, w = 3. Rounds 3 and 4: 4, 5. In round
        # 5 it is 6, Δw = 3 − 6 = −3, m = −1.5 − 3 = −4.5, w = 3 + 4.5 = 7.5.
        ((0.5, 3), _MINUS_ONE, 0.0, [1, 2, 3, 4, 5, 7.5]),
        # The same from 10 with η = 1/2, which does not touch rounds without momentum: 11, 12.
        # Δw = 10 − 13 = −3, m = −1.5, w = 11.5; then 12.5, 13.5; Δw = 11.5 − 14.5 = −3,
        # m = −0.75 − 1.5 = −2.25, w = 11.5 + 2.25 = 13.75.
        ((0.5, 3, 0.5), _MINUS_ONE, 10.0, [11, 12, 11.5, 12.5, 13.5, 13.75]),
        # Without momentum the server takes the aggregate.
        *(((0.0, b), [-1.0, 0.5, 2.0, -3.0], 1.5, [2.5, 2.0, 0.0, 3.0]) for b in (1, 2, 3)),
        # Momentum outlives a rejected round. Rounds 0, 1: 1, then Δw = 0 − 2, m = −2, w = 2.
        # Round 2: 3; round 3 is rejected; round 4: 4. Round 5: Δw = 2 − 5, m = −1 − 3 = −4, w = 6.
        ((0.5, 2), [-1, -1, -1, math.nan, -1, -1], 0.0, [1, 2, 3, 3, 4, 6]),
        # Rejected in rounds 0 and 2. Round 0 stays at 5, which is where momentum will be measured
        # from; round 1 takes 6; round 2 should have had momentum, and stays; rounds 3 and 4 take 7
        # and 8; round 5 gets 9, Δw = 5 − 9, m = −4, w = 9.
        *(
            ((0.5, 3), [bad, -1, bad, -1, -1, -1], 5.0, [5, 6, 6, 7, 8, 9])
            for bad in (math.nan, math.inf, -math.inf)
        ),
    ],
)
def test_numbers_by_hand(parameters, updates, start, expected):
    numbers, rejected = _run(_finalizer(*parameters), updates, start)
    assert numbers == pytest.approx(expected)
    assert rejected == sum(not math.isfinite(update) for update in updates)


@pytest.mark.parametrize("every_rounds", [1, 3])
def test_one_entry_that_is_not_finite_is_enough(every_rounds):
    finalizer = _finalizer(0.5, every_rounds)
    update = (np.array([1, math.inf], np.float32), np.float32(1))
    output = finalizer.next(finalizer.initialize(), one_number.weights(3.0), update)
    assert one_number.number_of(output.result) == 3
    assert output.measurements["update_non_finite"] == 1
