"""Tests of `tff_weights.weightings.acceptance`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import (
    Verdict,
    accept_if_loss_falls,
    fed_adp_weighting,
    fed_cav_weighting,
    fed_fa_weighting,
    num_examples_weighting,
)


def _run(rounds, weighting=None):
    """Each round is (losses after training, numbers of examples)."""
    weighting = accept_if_loss_falls(weighting or num_examples_weighting())
    history, outputs = weighting.initial_history(), []
    for losses, counts in rounds:
        weighed = weighting.weigh(
            history,
            {
                "loss_after": tf.constant(losses, tf.float32),
                "num_examples": tf.constant(counts, tf.float32),
            },
        )
        history = weighed.history
        outputs.append(weighed)
    return outputs


def _verdicts(outputs):
    return [Verdict(int(weighed.verdict)) for weighed in outputs]


_APPLY, _KEEP = Verdict.APPLY, Verdict.KEEP_MODEL


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


def test_the_first_round_is_accepted_whatever_it_loses():
    assert _verdicts(_run([([1e30], [1])])) == [_APPLY]


def test_a_round_of_nobody_has_no_loss_and_is_not_accepted():
    nobody, somebody = _run([([], []), ([5.0], [1])])
    assert _verdicts([nobody, somebody]) == [_KEEP, _APPLY]
    assert int(nobody.measurements["accepted"]) == 0
    assert math.isnan(nobody.measurements["estimated_loss"])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 20), max_size=10))
def test_against_python(losses):
    smallest, expected = math.inf, []
    for loss in losses:
        expected.append(_APPLY if loss <= smallest else _KEEP)
        smallest = min(smallest, loss)
    assert _verdicts(_run([([loss], [1]) for loss in losses])) == expected


def test_weights_history_and_measurements_are_the_weightings_own():
    inner = fed_adp_weighting(num_clients=3)
    weighting = accept_if_loss_falls(inner)
    reports = {
        "client_index": tf.constant([2, 0], tf.int64),
        "num_examples": tf.constant([2.0, 5.0]),
        "angle_to_mean": tf.constant([0.5, 1.1]),
        "loss_after": tf.constant([1.0, 3.0]),
    }
    ours = weighting.weigh(weighting.initial_history(), reports)
    expected = inner.weigh(inner.initial_history(), reports)
    np.testing.assert_array_equal(ours.weights, expected.weights)
    tf.nest.map_structure(
        np.testing.assert_array_equal, ours.history["weighting"], expected.history
    )
    np.testing.assert_array_equal(
        ours.measurements["weighting"]["smoothed_angle"], expected.measurements["smoothed_angle"]
    )


def test_a_history_goes_on_where_a_round_is_rejected():
    """Participation is participation, also in a round whose update is dropped."""
    weighting = accept_if_loss_falls(fed_fa_weighting(num_clients=2))
    history = weighting.initial_history()
    for loss in (1.0, 2.0):
        history = weighting.weigh(
            history,
            {
                "client_index": tf.constant([1], tf.int64),
                "accuracy_after": tf.constant([0.5]),
                "num_examples": tf.constant([2.0]),
                "loss_after": tf.constant([loss]),
            },
        ).history
    np.testing.assert_array_equal(history["weighting"]["participations"], [0, 2])


def test_what_the_weighting_needs_is_still_needed():
    inner = fed_adp_weighting(num_clients=3)
    weighting = accept_if_loss_falls(inner)
    assert set(weighting.report_fields) == {"client_index", "num_examples", "loss_after"}
    assert len(weighting.report_fields) == 3
    assert weighting.gives_verdict
    assert weighting.update_fields == inner.update_fields
    assert weighting.mean_weight == inner.mean_weight
    assert weighting.num_clients == 3
    assert inner.name in weighting.name


@pytest.mark.parametrize(
    "weighting",
    [fed_cav_weighting(audit=True), accept_if_loss_falls(num_examples_weighting())],
    ids=["audit", "acceptance"],
)
def test_two_verdicts_are_refused(weighting):
    with pytest.raises(ValueError, match="verdict"):
        accept_if_loss_falls(weighting)
