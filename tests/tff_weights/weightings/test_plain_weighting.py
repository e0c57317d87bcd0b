"""Tests of `tff_weights.weightings.plain`."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import num_examples_weighting, uniform_weighting
from tff_weights.weightings.plain import plain_weighting


def _weights(weighting, *num_examples):
    weighed = weighting.weigh((), {"num_examples": tf.constant(num_examples, tf.float32)})
    assert weighed.history == ()
    return weighed.weights.numpy()


def test_num_examples_by_hand():
    """10 of 40, 30 of 40 and 0 of 40 examples."""
    np.testing.assert_allclose(_weights(num_examples_weighting(), 10, 30, 0), [0.25, 0.75, 0])


def test_uniform_does_not_look_at_the_numbers():
    np.testing.assert_allclose(_weights(uniform_weighting(), 10, 30, 0), [1 / 3] * 3, rtol=1e-6)


@pytest.mark.parametrize("weighting", [num_examples_weighting(), uniform_weighting()])
def test_degenerate_cohorts(weighting):
    """A single client, and one whose clients hold nothing."""
    np.testing.assert_allclose(_weights(weighting, 7), [1])
    np.testing.assert_allclose(_weights(weighting, 0, 0), [0.5, 0.5])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=50))
def test_num_examples_against_numpy(counts):
    expected = np.array(counts) / np.sum(counts)
    np.testing.assert_allclose(_weights(num_examples_weighting(), *counts), expected, rtol=1e-5)


def test_names_and_fields():
    for name in ("num_examples", "uniform"):
        weighting = plain_weighting(name)
        assert weighting.name == name
        assert weighting.report_fields == ("num_examples",)


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"weighting.*num_examples.*uniform.*'median'"):
        plain_weighting("median")
