"""Tests of `tff_weights.weightings.acceptance`."""

import math

import numpy as np
import pytest
import tensorflow as tf
from weighing import weigh

from tff_weights import (
    Verdict,
    accept_if_loss_falls,
    fed_adp_weighting,
    fed_fa_weighting,
    num_examples_weighting,
)

_APPLY, _KEEP = Verdict.APPLY, Verdict.KEEP_MODEL


def _run(rounds):
    """Each round is (losses after training, numbers of examples)."""
    weighting = accept_if_loss_falls(num_examples_weighting())
    history, outputs = None, []
    for losses, counts in rounds:
        outputs.append(weigh(weighting, history, loss_after=losses, num_examples=counts))
        history = outputs[-1].history
    return outputs


def _verdicts(outputs):
    return [Verdict(int(weighed.verdict)) for weighed in outputs]


def test_by_hand():
    """Estimates (1 · 1 + 3 · 2) / 4 = 1.75, then 1.8 (worse), 1.75 (as good), 1, 1.2 (worse)."""
    outputs = _run(
        [([1, 2], [1, 3]), ([1.8], [7]), ([1.75], [5]), ([0, 2], [1, 1]), ([1.2, 1.2], [1, 2])]
    )
    assert _verdicts(outputs) == [_APPLY, _KEEP, _APPLY, _APPLY, _KEEP]
    estimates = [float(weighed.measurements["estimated_loss"]) for weighed in outputs]
    assert estimates == pytest.approx([1.75, 1.8, 1.75, 1, 1.2])
    assert [int(weighed.measurements["accepted"]) for weighed in outputs] == [1, 0, 1, 1, 0]
    smallest = [float(weighed.history["smallest_loss"]) for weighed in outputs]
    assert smallest == pytest.approx([1.75, 1.75, 1.75, 1, 1])


def test_a_round_of_nobody_has_no_loss_and_is_not_accepted():
    nobody, somebody = _run([([], []), ([1e30], [1])])
    assert _verdicts([nobody, somebody]) == [_KEEP, _APPLY]
    assert int(nobody.measurements["accepted"]) == 0
    assert math.isnan(nobody.measurements["estimated_loss"])


def test_weights_history_and_measurements_are_the_weightings_own():
    inner = fed_adp_weighting(num_clients=3)
    weighting = accept_if_loss_falls(inner)
    reports = {"client_index": [2, 0], "num_examples": [2.0, 5.0], "angle_to_mean": [0.5, 1.1]}
    ours = weigh(weighting, loss_after=[1.0, 3.0], **reports)
    expected = weigh(inner, **reports)
    for found, of_inner in (
        (ours.weights, expected.weights),
        (ours.history["weighting"], expected.history),
        (ours.measurements["weighting"], expected.measurements),
    ):
        tf.nest.map_structure(np.testing.assert_array_equal, found, of_inner)
    assert weighting.report_fields == ("client_index", "num_examples", "loss_after")
    assert weighting.gives_verdict and weighting.num_clients == 3


def test_a_history_goes_on_where_a_round_is_rejected():
    """Participation is participation, also in a round whose update is dropped."""
    weighting, history = accept_if_loss_falls(fed_fa_weighting(num_clients=2)), None
    for loss in (1.0, 2.0):
        history = weigh(
            weighting,
            history,
            client_index=[1],
            accuracy_after=[0.5],
            num_examples=[2.0],
            loss_after=[loss],
        ).history
    np.testing.assert_array_equal(history["weighting"]["participations"], [0, 2])
