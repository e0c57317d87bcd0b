"""Tests of `tff_weights.structures`."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tff_weights.structures import chosen, is_all_finite, zeros_like


def test_one_of_two_structures_is_chosen():
    yes, no = ((tf.constant(each), {"a": tf.constant([each])}) for each in (1, 2))
    assert chosen(tf.constant(True), yes, no) == yes
    assert chosen(tf.constant(False), yes, zeros_like(no)) == (0, {"a": [0]})


def test_what_is_not_finite_is_found_among_floats_only():
    assert is_all_finite([tf.constant([1.0]), tf.constant([1])])
    assert not is_all_finite([tf.constant([1.0, np.nan])])
    assert not is_all_finite([tf.constant(np.inf, tf.float64), tf.constant(True)])
