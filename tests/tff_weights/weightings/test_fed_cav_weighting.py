"""Tests of `tff_weights.weightings.fed_cav`."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weigh, weights_of

from tff_weights import Verdict, fed_cav_weighting

_APPLY, _RESTORE = Verdict.APPLY, Verdict.RESTORE_PREVIOUS


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        # The mean is 2, so they are clipped to (0, 1, 2): e^f = (1, 2.7182818, 7.3890561).
        ("mean", [0.0900306, 0.2447285, 0.6652410]),
        # e^f = (1, 2.7182818, 148.4131591), their sum 152.1314409.
        ("none", [0.0065733, 0.0178680, 0.9755587]),
    ],
)
def test_losses_0_1_5_by_hand(clip, expected):
    weights = weights_of(fed_cav_weighting(clip=clip), loss_before=[0, 1, 5])
    np.testing.assert_allclose(weights, expected, rtol=1e-5)
    summed = fed_cav_weighting(clip=clip, loss_reduction="sum")
    np.testing.assert_array_equal(weights_of(summed, batch_loss_sum_before=[0, 1, 5]), weights)


@pytest.mark.parametrize("clip", ["mean", "none"])
@pytest.mark.parametrize("loss", [0.0, 1e6, 1e30])
def test_equal_losses_are_the_simple_mean(clip, loss):
    weights = weights_of(fed_cav_weighting(clip=clip), loss_before=[loss] * 3)
    np.testing.assert_allclose(weights, [1 / 3] * 3, rtol=1e-6)


def test_large_losses_stay_finite():
    """e^{500} is no float32."""
    weights = weights_of(fed_cav_weighting(clip="none"), loss_before=[100, 300, 500])
    np.testing.assert_allclose(weights, [0, 0, 1], atol=1e-6)


@settings(max_examples=50)
@given(
    st.lists(st.floats(0, 20, width=32), min_size=1, max_size=12), st.sampled_from(["mean", "none"])
)
def test_against_numpy(losses, clip):
    expected = reference_weights.fed_cav(losses, clip=clip)
    weights = weights_of(fed_cav_weighting(clip=clip), loss_before=losses)
    np.testing.assert_allclose(weights, expected, rtol=1e-5)


def _audit(rounds):
    """The verdict of each round and, after it, the loss to compare with."""
    weighting, history, verdicts, largest = fed_cav_weighting(audit=True), None, [], []
    for losses in rounds:
        weighed = weigh(weighting, history, loss_before=losses)
        history = weighed.history
        verdicts.append(Verdict(int(weighed.verdict)))
        largest.append(float(history["largest_loss"]))
        assert weighed.measurements["alarm"] == (verdicts[-1] is _RESTORE)
    return verdicts, largest


def test_an_audit_by_each_clients_own_history():
    """Both report for the first time; then 1 of 2 is larger, no more than half; then 2 of 3."""
    weighting, history = fed_cav_weighting(audit=True, audit_by="client", num_clients=3), None
    for losses, indices, verdict, last in (
        ([5, 1], [0, 1], _APPLY, [5, 1, math.inf]),
        ([4, 2], [0, 1], _APPLY, [4, 2, math.inf]),
        ([5, 3, 9], [0, 1, 2], _RESTORE, [4, 2, math.inf]),
        ([9, 4], [2, 0], _APPLY, [4, 2, 9]),
    ):
        weighed = weigh(weighting, history, loss_before=losses, client_index=indices)
        history = weighed.history
        assert Verdict(int(weighed.verdict)) is verdict
        assert list(history["last_loss"]) == last


def test_an_alarm_by_hand():
    """Largest losses 2; then 3 of 3 exceed it, and it stays; then 2 of 4, no more than half.

    5 is now the largest, though 2 and 1 are not, and the last round's losses do not exceed it.
    """
    verdicts, largest = _audit([[1, 2], [3, 4, 9], [2, 5, 3, 1], [3, 3]])
    assert verdicts == [_APPLY, _RESTORE, _APPLY, _APPLY]
    assert largest == [2, 2, 5, 3]


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        # A loss as large as the largest is not abnormal.
        ([2, 1], [2, 2], _APPLY),
        ([1], [2, 2, 0.5, 0.5], _APPLY),
        ([1], [2, 2, 2, 0.5], _RESTORE),
        ([1], [1.5], _RESTORE),
    ],
)
def test_an_alarm_is_raised_by_more_than_half_above_the_largest(first, second, verdict):
    assert _audit([first, second])[0] == [_APPLY, verdict]


@settings(max_examples=25)
@given(st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=6), max_size=8))
def test_the_audit_against_python(rounds):
    largest, expected = math.inf, []
    for losses in rounds:
        if sum(loss > largest for loss in losses) > len(losses) / 2:
            expected.append(_RESTORE)
        else:
            expected.append(_APPLY)
            largest = max(losses)
    assert _audit(rounds)[0] == expected


def test_only_an_audit_gives_verdicts_and_has_a_history():
    """The weights are those without an audit."""
    plain, audited = fed_cav_weighting(), fed_cav_weighting(audit=True)
    assert not plain.gives_verdict and not plain.initial_history()
    assert audited.gives_verdict and audited.initial_history()["largest_loss"] == math.inf
    np.testing.assert_array_equal(*(weights_of(w, loss_before=[1, 2]) for w in (plain, audited)))
