"""Tests of `tff_weights.weightings.term`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

from tff_weights import term_weighting


def _weights(losses, counts, tilt):
    return weights_of(term_weighting(tilt=tilt), loss_before=losses, num_examples=counts)


@pytest.mark.parametrize(
    ("tilt", "losses", "counts", "expected"),
    [
        # 2^0 · 4, 2^1 · 2 and 2² · 1 are equal.
        (math.log(2), [0, 1, 2], [4, 2, 1], [1 / 3] * 3),
        # And 1/2 for each unit of loss: 4, 1 and 1/4.
        (-math.log(2), [0, 1, 2], [4, 2, 1], [16 / 21, 4 / 21, 1 / 21]),
        (0.0, [0, 1, 50], [1, 2, 5], [1 / 8, 2 / 8, 5 / 8]),
        # In the limit the largest loss alone, though e^{10⁶} is no float.
        (1e6, [0, 1, 2], [400, 2, 1], [0, 0, 1]),
        (0.1, [3.0], [7], [1]),
    ],
)
def test_by_hand(tilt, losses, counts, expected):
    np.testing.assert_allclose(_weights(losses, counts, tilt), expected, rtol=1e-5, atol=1e-9)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.floats(0, 10), st.integers(1, 1000)), min_size=1, max_size=10),
    st.floats(-5, 5),
)
def test_against_numpy(clients, tilt):
    losses, counts = zip(*clients)
    expected = reference_weights.term(losses, counts, tilt=tilt)
    np.testing.assert_allclose(_weights(losses, counts, tilt), expected, rtol=1e-3, atol=1e-6)
