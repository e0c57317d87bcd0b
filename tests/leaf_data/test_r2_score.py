"""Tests of `leaf_data.r2_score`."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf_data.r2_score import R2Score


def _of(labels, outputs, batch_size=2):
    metric = R2Score()
    for start in range(0, len(labels), batch_size):
        metric.update_state(labels[start : start + batch_size], outputs[start : start + batch_size])
    return float(metric.result())


def test_by_hand():
    """Labels 0, 2, 4: Σ (y − ȳ)² = 8. Outputs 0, 2, 2: Σ (y − ŷ)² = 4, so R² = 1 − 4/8."""
    assert _of([0.0, 2.0, 4.0], [[0.0], [2.0], [2.0]]) == 0.5


@given(seed=st.integers(0, 99), shift=st.sampled_from((0.0, 3e3, -1e6)), size=st.integers(2, 9))
def test_on_random_numbers(seed, shift, size):
    """Labels far from 0 have the R² of the same labels near 0."""
    generator = np.random.default_rng(seed)
    labels, noise = generator.normal(size=(size, 3)), generator.normal(size=(size, 3))
    expected = np.mean(1 - (noise**2).sum(0) / ((labels - labels.mean(0)) ** 2).sum(0))
    assert _of(labels + shift, labels + shift + noise) == pytest.approx(expected, rel=1e-6)


def test_where_it_is_not_defined():
    """No number for equal labels; −∞ for outputs that are not finite; nothing is kept."""
    assert math.isnan(_of([0.1], [0.1])) and math.isnan(_of([0.1] * 7, [0.0] * 7))
    assert _of([1.0, 2.0], [math.inf, 2.0]) == _of([1.0, 2.0], [math.nan, 2.0]) == -math.inf
    metric = R2Score()
    assert math.isnan(metric.result())
    metric.update_state([5.0, 6.0], [0.0, 0.0])
    metric.reset_state()
    metric.update_state([1.0, 2.0], [1.0, 2.0])
    assert float(metric.result()) == 1.0
