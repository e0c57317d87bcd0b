"""Tests of `tff_weights.algorithms.prop_fair`; rounds are tested with every algorithm."""

from __future__ import annotations

import math

import pytest
import tensorflow as tf

from tff_weights.algorithms.prop_fair import proportional_loss


@pytest.mark.parametrize(
    ("loss", "value", "slope"),
    [
        # M = 3, ε = 1/2: −ln(3 − ℓ) with slope 1 / (3 − ℓ), and ln 2 + 2 (ℓ − 5/2) with slope 2.
        (1.0, -math.log(2), 1 / 2),
        (2.5, math.log(2), 2),
        (3.0, math.log(2) + 1, 2),
        (1e6, math.log(2) + 2 * (1e6 - 2.5), 2),
    ],
)
def test_the_loss_by_hand(loss, value, slope):
    plain = tf.constant(loss)
    with tf.GradientTape() as tape:
        tape.watch(plain)
        found = proportional_loss(plain, baseline=3.0, epsilon=0.5)
    assert float(found) == pytest.approx(value, rel=1e-6)
    assert float(tape.gradient(found, plain)) == pytest.approx(slope)
