"""Tests of `tff_weights.finalizers.server_momentum`."""

from __future__ import annotations

import collections
import functools
import math

import numpy as np
import pytest
import tensorflow_federated as tff
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import build_server_momentum_finalizer

_TRAINABLE = tff.to_type((tff.TensorType(np.float32, [2]), np.float32))
_WEIGHTS = tff.to_type(
    tff.learning.models.ModelWeights(_TRAINABLE, (tff.TensorType(np.int32, [1]),))
)


def _weights(number):
    """A model whose three trainable weights are multiples of one number, and one that is not."""
    return tff.learning.models.ModelWeights(_update(number), (np.array([7], np.int32),))


def _update(number):
    return np.array([number, -number], np.float32), np.float32(2 * number)


@functools.cache
def _finalizer(momentum, every_rounds, learning_rate=1.0):
    return build_server_momentum_finalizer(
        _WEIGHTS, momentum=momentum, learning_rate=learning_rate, every_rounds=every_rounds
    )


def _number(weights):
    """The number of which `_weights` made the model."""
    vector, scalar = weights.trainable
    np.testing.assert_allclose(vector, [vector[0], -vector[0]])
    # TensorFlow takes the smallest of numbers, those without a leading 1, for 0.
    np.testing.assert_allclose(scalar, 2 * vector[0], rtol=1e-6, atol=1e-30)
    np.testing.assert_array_equal(weights.non_trainable[0], [7])
    return float(vector[0])


def _run(finalizer, updates, start=0.0):
    """The model's number after each round, and how many updates were rejected."""
    state, weights, numbers, rejected = finalizer.initialize(), _weights(start), [], 0
    for update in updates:
        output = finalizer.next(state, weights, _update(update))
        state, weights = output.state, output.result
        numbers.append(_number(weights))
        rejected += output.measurements["update_non_finite"]
    return numbers, rejected


@pytest.mark.parametrize("every_rounds", [1, 3])
def test_types(every_rounds):
    finalizer = _finalizer(0.5, every_rounds)
    assert isinstance(finalizer, tff.learning.templates.FinalizerProcess)
    state = finalizer.initialize.type_signature.result
    tff.test.assert_types_identical(
        finalizer.next.type_signature,
        tff.FunctionType(
            tff.types.StructWithPythonType(
                [
                    ("state", state),
                    ("weights", tff.FederatedType(_WEIGHTS, tff.SERVER)),
                    ("update", tff.FederatedType(_TRAINABLE, tff.SERVER)),
                ],
                collections.OrderedDict,
            ),
            tff.templates.MeasuredProcessOutput(
                state=state,
                result=tff.FederatedType(_WEIGHTS, tff.SERVER),
                measurements=tff.FederatedType(
                    collections.OrderedDict(update_non_finite=np.int32), tff.SERVER
                ),
            ),
        ),
    )


def test_momentum_in_every_round_by_hand():
    """γ = 1/2, η = 1; the clients' mean is always 1 ahead, w_t − w_agg = −1.

    m = −1, −1.5, −1.75; w = 1, 2.5, 4.25.
    """
    assert _run(_finalizer(0.5, 1), [-1, -1, -1])[0] == pytest.approx([1, 2.5, 4.25])


def test_by_default_every_round_has_momentum_and_the_rate_is_one():
    default = build_server_momentum_finalizer(_WEIGHTS, momentum=0.5)
    assert _run(default, [1.0, 2.0, -1.0]) == _run(_finalizer(0.5, 1), [1.0, 2.0, -1.0])


def test_momentum_in_every_third_round_by_hand():
    """γ = 1/2, η = 1; the clients' mean is always 1 ahead.

    Rounds 0 and 1 take it: 1, 2. In round 2 it is 3 while the last momentum round's model is the
    initial 0: Δw = 0 − 3, m = −3, w = 3. Rounds 3 and 4: 4, 5. In round 5 it is 6, Δw = 3 − 6 = −3,
    m = −1.5 − 3 = −4.5, w = 3 + 4.5 = 7.5.
    """
    numbers, rejected = _run(_finalizer(0.5, 3), [-1] * 6)
    assert numbers == pytest.approx([1, 2, 3, 4, 5, 7.5])
    assert rejected == 0


def test_the_servers_rate_by_hand():
    """As above from 10 with η = 1/2, which does not touch rounds without momentum: 11, 12.

    Δw = 10 − 13 = −3, m = −1.5, w = 11.5; then 12.5, 13.5; Δw = 11.5 − 14.5 = −3,
    m = −0.75 − 1.5 = −2.25, w = 11.5 + 2.25 = 13.75.
    """
    numbers, _ = _run(_finalizer(0.5, 3, 0.5), [-1] * 6, start=10.0)
    assert numbers == pytest.approx([11, 12, 11.5, 12.5, 13.5, 13.75])


@pytest.mark.parametrize("every_rounds", [1, 2, 3])
def test_without_momentum_the_server_takes_the_aggregate(every_rounds):
    updates = [-1.0, 0.5, 2.0, -3.0, 0.25, 4.0]
    numbers, _ = _run(_finalizer(0.0, every_rounds), updates, start=1.5)
    np.testing.assert_allclose(numbers, 1.5 - np.cumsum(updates), rtol=1e-6)


@pytest.mark.parametrize(("momentum", "learning_rate"), [(0.0, 1.0), (0.5, 1.0), (0.9, 0.3)])
def test_in_every_round_it_is_tffs_own_momentum(momentum, learning_rate):
    tffs = tff.learning.templates.build_apply_optimizer_finalizer(
        tff.learning.optimizers.build_sgdm(learning_rate, momentum or None), _WEIGHTS
    )
    updates = [-1.0, 0.5, math.nan, 2.0, -3.0]
    ours = _run(_finalizer(momentum, 1, learning_rate), updates)
    assert ours == _run(tffs, updates)
    assert ours[1] == 1


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.one_of(st.floats(-10, 10, width=32), st.just(math.nan)), min_size=7, max_size=7),
    st.floats(-10, 10, width=32),
)
def test_every_third_round_against_python(updates, start):
    """Eq. 3–7, and an update that is not finite changes nothing though its round has been one."""
    w = anchor = start
    m, expected = 0.0, []
    for round_number, update in enumerate(updates):
        if not math.isnan(update):
            aggregate = w - update
            if (round_number + 1) % 3 == 0:
                m = 0.8 * m + 0.5 * (anchor - aggregate)
                w = anchor = anchor - m
            else:
                w = aggregate
        expected.append(w)
    numbers, rejected = _run(_finalizer(0.8, 3, 0.5), updates, start)
    np.testing.assert_allclose(numbers, expected, rtol=1e-5, atol=1e-4)
    assert rejected == sum(math.isnan(update) for update in updates)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_an_update_that_is_not_finite_is_rejected(bad):
    """In rounds 0 and 2, with b = 3 and γ = 1/2; all others move by −(−1).

    Round 0 stays at 5, which is where momentum will be measured from; round 1 takes 6; round 2
    should have had momentum, and stays; rounds 3 and 4 take 7 and 8; round 5 gets 9, Δw = 5 − 9,
    m = −4, w = 9.
    """
    numbers, rejected = _run(_finalizer(0.5, 3), [bad, -1, bad, -1, -1, -1], start=5.0)
    assert numbers == pytest.approx([5, 6, 6, 7, 8, 9])
    assert rejected == 2


def test_momentum_outlives_a_rejected_momentum_round():
    """b = 2, γ = 1/2. Rounds 0, 1: 1, then Δw = 0 − 2, m = −2, w = 2. Round 2: 3; round 3 rejected.

    Round 4: 4. Round 5: Δw = 2 − 5 = −3, m = −1 − 3 = −4, w = 6.
    """
    numbers, _ = _run(_finalizer(0.5, 2), [-1, -1, -1, math.nan, -1, -1])
    assert numbers == pytest.approx([1, 2, 3, 3, 4, 6])


@pytest.mark.parametrize("every_rounds", [1, 3])
def test_one_entry_that_is_not_finite_is_enough(every_rounds):
    finalizer = _finalizer(0.5, every_rounds)
    update = (np.array([1, math.inf], np.float32), np.float32(1))
    output = finalizer.next(finalizer.initialize(), _weights(3.0), update)
    assert _number(output.result) == 3
    assert output.measurements["update_non_finite"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"momentum": 1.0}, "momentum .*1.0"),
        ({"momentum": -0.5}, "momentum .*-0.5"),
        ({"momentum": math.nan}, "momentum .*nan"),
        ({"learning_rate": 0.0}, "learning_rate .*0.0"),
        ({"learning_rate": math.inf}, "learning_rate .*inf"),
        ({"every_rounds": 0}, "every_rounds .*0"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        build_server_momentum_finalizer(_WEIGHTS, **{"momentum": 0.5, **arguments})


def test_a_fraction_of_a_round_is_refused():
    with pytest.raises((TypeError, ValueError), match="every_rounds .*1.5"):
        build_server_momentum_finalizer(_WEIGHTS, momentum=0.5, every_rounds=1.5)
