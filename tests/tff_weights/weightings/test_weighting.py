"""Tests of `tff_weights.weightings.weighting`."""

import numpy as np
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights.weightings.weighting import Verdict, equal_shares, normalized


@settings(max_examples=25)
@given(st.lists(st.floats(2**-10, 2**10, width=32), min_size=1, max_size=20))
def test_normalized_values_keep_their_ratios_and_sum_to_one(values):
    weights = normalized(tf.constant(values)).numpy()
    np.testing.assert_allclose(weights, np.array(values) / np.sum(values), rtol=1e-5)


def test_equal_shares_are_those_of_values_that_are_all_zero():
    """The sum of 0.1 and 0.3 is below 1, but not 0."""
    np.testing.assert_allclose(normalized(tf.constant([0.1, 0.3])), [0.25, 0.75], rtol=1e-6)
    np.testing.assert_allclose(normalized(tf.zeros(4)), [0.25] * 4)
    np.testing.assert_allclose(equal_shares(tf.constant([5.0, 0.0, 1.0])), [1 / 3] * 3, rtol=1e-6)
    assert normalized(tf.zeros(0)).shape == equal_shares(tf.zeros(0)).shape == [0]


def test_verdicts_are_the_numbers_that_a_checkpoint_may_hold():
    assert [(verdict.name, int(verdict)) for verdict in Verdict] == [
        ("APPLY", 0),
        ("KEEP_MODEL", 1),
        ("RESTORE_PREVIOUS", 2),
    ]
