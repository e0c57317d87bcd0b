"""Tests of `tff_weights.algorithms.prop_fair`; its rounds are tested with every algorithm."""

from __future__ import annotations

import dataclasses
import math

import pytest
import tensorflow as tf
from built import five_rounds, published
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING
from reference.problem import initial_vector
from reference.simulation import Participant

import tff_weights as tw
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


def test_what_is_reported_is_the_plain_loss():
    def squared(loss):
        return loss**2

    training = dataclasses.replace(LOCAL_TRAINING, local_loss=squared)
    metrics = five_rounds(tw.build_fed_cav, local_training=training).metrics[0]
    w = initial_vector()
    losses = {i: Participant(i, CLIENTS[i], 0, LOCAL_TRAINING).loss(w) for i in COHORTS[0]}
    assert published(metrics, "loss_before") == pytest.approx(losses, rel=1e-5)
