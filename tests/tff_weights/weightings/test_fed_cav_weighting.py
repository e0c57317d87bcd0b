"""Tests of `tff_weights.weightings.fed_cav`."""

import math

import numpy as np
from weighing import weigh, weights_of

from tff_weights import Verdict, fed_cav_weighting

_APPLY, _RESTORE = Verdict.APPLY, Verdict.RESTORE_PREVIOUS


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


def test_huge_losses_are_clipped_at_their_mean():
    """The mean of 3e38, 2e38 and 0 is 1.7e38; e^−1.7e38 is 0."""
    weights = weights_of(fed_cav_weighting(clip="mean"), loss_before=[3e38, 2e38, 0.0])
    np.testing.assert_array_equal(weights, [0.5, 0.5, 0.0])


def test_an_alarm_by_hand():
    """Largest losses 2; then 3 of 3 exceed it, and it stays; then 2 of 4, no more than half.

    5 is now the largest, though 2 and 1 are not. A loss as large as the largest is not abnormal. At
    last 3 of 4 are, more than half.
    """
    verdicts, largest = _audit([[1, 2], [3, 4, 9], [2, 5, 3, 1], [5, 5], [6, 6, 6, 1]])
    assert verdicts == [_APPLY, _RESTORE, _APPLY, _APPLY, _RESTORE]
    assert largest == [2, 2, 5, 5, 5]
