"""Tests of `tff_weights.weightings.weighting`."""

import numpy as np
import tensorflow as tf

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
