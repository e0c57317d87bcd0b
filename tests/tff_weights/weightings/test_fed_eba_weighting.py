"""Tests of `tff_weights.weightings.fed_eba`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

from tff_weights import fed_cav_weighting, fed_eba_weighting, term_weighting

_HALF = 1 / math.log(2)  # e^{F / T} is 2^F.


@pytest.mark.parametrize(
    ("arguments", "reports", "expected"),
    [
        ({"temperature": _HALF}, {"loss_after": [0, 1, 2]}, [1 / 7, 2 / 7, 4 / 7]),
        (
            {"temperature": _HALF, "prior": "num_examples", "loss_at": "before"},
            {"loss_before": [0, 1, 2], "num_examples": [4, 2, 1]},
            [1 / 3] * 3,
        ),
        # The temperature may be nearly nothing, or hot enough for the losses not to matter.
        ({"temperature": 1e-6}, {"loss_after": [0, 1, 2]}, [0, 0, 1]),
        ({"temperature": 1e9}, {"loss_after": [0, 1, 2]}, [1 / 3] * 3),
    ],
)
def test_by_hand(arguments, reports, expected):
    weights = weights_of(fed_eba_weighting(**arguments), **reports)
    np.testing.assert_allclose(weights, expected, rtol=1e-6, atol=1e-9)


@settings(max_examples=50)
@given(st.lists(st.floats(0, 10), min_size=1, max_size=10), st.floats(0.1, 10))
def test_against_numpy(losses, temperature):
    weighting = fed_eba_weighting(temperature=temperature)
    expected = reference_weights.fed_eba(losses, temperature=temperature)
    weights = weights_of(weighting, loss_after=losses)
    np.testing.assert_allclose(weights, expected, rtol=1e-3, atol=1e-6)


def test_it_is_fed_cavs_softmax_without_the_clip_and_terms_weights_at_one_over_the_temperature():
    losses = {"loss_before": [0.3, 1.2, 2.0]}
    weights = weights_of(fed_eba_weighting(temperature=1.0, loss_at="before"), **losses)
    unclipped = weights_of(fed_cav_weighting(clip="none"), **losses)
    np.testing.assert_allclose(weights, unclipped, rtol=1e-6)
    by_size = {**losses, "num_examples": [7, 40, 25]}
    np.testing.assert_allclose(
        weights_of(
            fed_eba_weighting(temperature=0.5, prior="num_examples", loss_at="before"), **by_size
        ),
        weights_of(term_weighting(tilt=2.0), **by_size),
        rtol=1e-5,
    )
