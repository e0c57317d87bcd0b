"""Tests of `tff_weights.weightings.fed_cav`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights

from tff_weights import Verdict, fed_cav_weighting

_SUM = "batch_loss_sum_before"


def _weigh(losses, history=None, *, field="loss_before", **arguments):
    weighting = fed_cav_weighting(**arguments)
    return weighting.weigh(
        weighting.initial_history() if history is None else history,
        {field: tf.constant(losses, tf.float32)},
    )


def _weights(losses, **arguments):
    return _weigh(losses, **arguments).weights.numpy()


def test_clipped_at_the_mean_by_hand():
    """Losses (0, 1, 5), mean 2, clipped (0, 1, 2).

    e^f = (1, 2.7182818, 7.3890561), their sum 11.1073379.
    """
    np.testing.assert_allclose(_weights([0, 1, 5]), [0.0900306, 0.2447285, 0.6652410], rtol=1e-5)


def test_not_clipped_by_hand():
    """e^f = (1, 2.7182818, 148.4131591), their sum 152.1314409."""
    np.testing.assert_allclose(
        _weights([0, 1, 5], clip="none"), [0.0065733, 0.0178680, 0.9755587], rtol=1e-5
    )


def test_all_losses_above_the_mean_weigh_the_same():
    weights = _weights([0, 10, 20])
    assert weights[1] == weights[2] > weights[0]


@pytest.mark.parametrize("clip", ["mean", "none"])
@pytest.mark.parametrize("loss", [0.0, 2.0, 1e6, 1e30])
def test_equal_losses_are_the_simple_mean(clip, loss):
    np.testing.assert_allclose(_weights([loss] * 3, clip=clip), [1 / 3] * 3, rtol=1e-6)


@pytest.mark.parametrize("clip", ["mean", "none"])
def test_one_participant_has_weight_one(clip):
    np.testing.assert_allclose(_weights([3.7], clip=clip), [1], rtol=1e-6)


def test_large_losses_stay_finite():
    """As sums over mini-batches are: e^{500} is no float32."""
    weights = _weights([100, 300, 500], clip="none", loss_reduction="sum", field=_SUM)
    np.testing.assert_allclose(weights, [0, 0, 1], atol=1e-6)


def test_the_sum_is_another_field():
    assert fed_cav_weighting(loss_reduction="sum").report_fields == (_SUM,)
    np.testing.assert_array_equal(
        _weights([0, 1, 5], loss_reduction="sum", field=_SUM), _weights([0, 1, 5])
    )


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.floats(0, 20, width=32), min_size=1, max_size=12),
    st.sampled_from(["mean", "none"]),
)
def test_against_numpy(losses, clip):
    np.testing.assert_allclose(
        _weights(losses, clip=clip), reference_weights.fed_cav(losses, clip=clip), rtol=1e-5
    )


def _audit(rounds):
    """The verdict of each round and, after it, the loss to compare with."""
    history, verdicts, largest = None, [], []
    for losses in rounds:
        weighed = _weigh(losses, history, audit=True)
        history = weighed.history
        verdicts.append(Verdict(int(weighed.verdict)))
        largest.append(float(history["largest_loss"]))
        assert weighed.measurements["alarm"] == (verdicts[-1] is Verdict.RESTORE_PREVIOUS)
    return verdicts, largest


def test_the_first_round_raises_no_alarm():
    assert _audit([[1e30, 5.0]]) == ([Verdict.APPLY], [float(np.float32(1e30))])


def test_an_alarm_by_hand():
    """Largest losses 2; then 3 of 3 exceed it, and it stays; then 2 of 4, no more than half.

    After which 5 is the largest, though 2 and 1 are not, and the last round's 3 does not exceed it.
    """
    verdicts, largest = _audit([[1, 2], [3, 4, 9], [2, 5, 3, 1], [3, 3]])
    apply, restore = Verdict.APPLY, Verdict.RESTORE_PREVIOUS
    assert verdicts == [apply, restore, apply, apply]
    assert largest == [2, 2, 5, 3]


def test_equal_to_the_largest_is_not_abnormal():
    assert _audit([[2, 1], [2, 2]])[0] == [Verdict.APPLY] * 2


@pytest.mark.parametrize(("abnormal", "alarm"), [(1, False), (2, False), (3, True), (4, True)])
def test_more_than_half_is_more_than_half(abnormal, alarm):
    verdicts, _ = _audit([[1], [2] * abnormal + [0.5] * (4 - abnormal)])
    assert (verdicts[1] is Verdict.RESTORE_PREVIOUS) == alarm


def test_a_single_client_raises_an_alarm_as_well():
    assert _audit([[1], [1.5]])[0][1] is Verdict.RESTORE_PREVIOUS


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=6), max_size=8))
def test_the_audit_against_python(rounds):
    largest, expected = math.inf, []
    for losses in rounds:
        if sum(loss > largest for loss in losses) > len(losses) / 2:
            expected.append(Verdict.RESTORE_PREVIOUS)
        else:
            expected.append(Verdict.APPLY)
            largest = max(losses)
    assert _audit(rounds)[0] == expected


def test_only_an_audit_gives_verdicts_and_has_a_history():
    plain, audited = fed_cav_weighting(), fed_cav_weighting(audit=True)
    assert not plain.gives_verdict
    assert not plain.initial_history()
    assert audited.gives_verdict
    assert audited.initial_history()["largest_loss"] == math.inf
    assert plain.report_fields == audited.report_fields == ("loss_before",)
    np.testing.assert_array_equal(_weights([1, 2], audit=True), _weights([1, 2]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"loss_reduction": "max"}, "loss_reduction .*mean.*sum.*'max'"),
        ({"clip": "median"}, "clip .*mean.*none.*'median'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fed_cav_weighting(**arguments)
