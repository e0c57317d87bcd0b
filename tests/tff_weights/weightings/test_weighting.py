"""Tests of `tff_weights.weightings.weighting`."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

import tff_weights as tw
from tff_weights.weightings.weighting import Verdict, equal_shares, mean_of, normalized


def test_equal_shares_are_those_of_values_that_are_all_zero():
    """The sum of 0.1 and 0.3 is below 1, but not 0."""
    np.testing.assert_allclose(normalized(tf.constant([0.1, 0.3])), [0.25, 0.75], rtol=1e-6)
    np.testing.assert_allclose(normalized(tf.zeros(4)), [0.25] * 4)
    np.testing.assert_allclose(equal_shares(tf.constant([5.0, 0.0, 1.0])), [1 / 3] * 3, rtol=1e-6)
    assert normalized(tf.zeros(0)).shape == equal_shares(tf.zeros(0)).shape == [0]


def test_finite_values_whose_sum_overflows():
    """float32 ends at 3.4e38."""
    values = tf.constant([3e38, 1.5e38, 0.0])
    np.testing.assert_allclose(normalized(values), [2 / 3, 1 / 3, 0], rtol=1e-6)
    np.testing.assert_allclose(mean_of(values), 1.5e38, rtol=1e-6)


def test_verdicts_are_the_numbers_that_a_checkpoint_may_hold():
    assert [(verdict.name, int(verdict)) for verdict in Verdict] == [
        ("APPLY", 0),
        ("KEEP_MODEL", 1),
        ("RESTORE_PREVIOUS", 2),
    ]


def test_what_is_measured_is_against_the_mean_that_the_weighting_uses():
    """Uniform weightings have n_i among their fields, too."""
    cases = (
        (tw.num_examples_weighting(), "num_examples"),
        (tw.uniform_weighting(), None),
        (tw.accept_if_loss_falls(tw.uniform_weighting()), None),
        (tw.fed_adp_weighting(num_clients=3), "num_examples"),
        (tw.wei_avg_weighting(by="entropy"), None),
    )
    for weighting, expected in cases:
        measured = tw.with_measurements(weighting, "projection_on_mean")
        assert measured.mean_weight == expected, weighting.name


def test_a_history_may_come_back_with_its_keys_in_another_order():
    """b begins with 10 and grows by 10, a with 1 by 1."""

    def weigh(history, reports):
        grown = collections.OrderedDict(a=history["a"] + 1, b=history["b"] + 10)
        return tw.Weighed(equal_shares(reports["num_examples"]), grown)

    first = collections.OrderedDict(b=10.0, a=1.0)
    weighting = tw.Weighting(
        name="keys",
        report_fields=("num_examples",),
        weigh=weigh,
        initial_history=lambda: tf.nest.map_structure(tf.constant, first),
    )
    process = tw.WeightingFactory(weighting).create(
        tff.TensorType(np.float32), tff.TensorType(np.float32)
    )
    state = process.initialize()
    for _ in range(2):
        state = process.next(state, [1.0, 3.0], [1.0, 1.0]).state
    assert {name: float(x) for name, x in state["history"].items()} == {"b": 30.0, "a": 3.0}


def test_report_fields_in_no_tuple_are_refused():
    with pytest.raises(
        ValueError, match="report_fields must be a tuple or list, got 'num_examples'"
    ):
        tw.Weighting(name="text", report_fields=("num_examples"), weigh=lambda *_: None)
