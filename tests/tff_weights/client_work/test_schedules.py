import math

import numpy as np
import pytest
import tensorflow as tf

from tff_weights import CosineDecay, ExponentialDecay, LocalTraining, StepDecay
from tff_weights.client_work.local_data import LocalData, plan_round


@pytest.mark.parametrize(
    ("schedule", "factors"),
    [
        (StepDecay(np.float64(0.1), np.int64(2)), [1, 1, 0.1, 0.1, 0.01]),
        (StepDecay(0.5, 1), [1, 0.5, 0.25, 0.125, 0.0625]),
        (ExponentialDecay(np.float64(0.9)), [1, 0.9, 0.81, 0.729, 0.6561]),
        # (1 + cos(π t / 4)) / 2; cos(π / 4) = 1 / √2.
        (CosineDecay(4), [1, 0.5 + math.sqrt(0.125), 0.5, 0.5 - math.sqrt(0.125), 0]),
        (CosineDecay(np.int64(2), least=np.float64(0.2)), [1, 0.6, 0.2, 0.2, 0.2]),
    ],
)
def test_factors_by_hand(schedule, factors):
    found = [float(schedule(tf.constant(count))) for count in range(5)]
    assert found == pytest.approx(factors, abs=1e-6)


@pytest.mark.parametrize(
    ("schedule", "rate"),
    [
        (StepDecay(0.1, 2), 0.005),
        (StepDecay(0.1, 2, by="step"), 0.5),
        (None, 0.5),
        (CosineDecay(4), 0),
    ],
)
def test_by_rounds_the_rate_of_a_round_falls(schedule, rate):
    """In round 4: 0.5 · 0.1^⌊4 / 2⌋ = 0.005; by steps each round begins with 0.5."""
    training = LocalTraining(
        learning_rate=0.5, batch_size=1, epochs=1, learning_rate_schedule=schedule
    )
    data = LocalData(tf.constant(0, tf.int64), tf.zeros([2, 1]), tf.constant(2))
    assert float(plan_round(training, data, tf.constant(4)).learning_rate) == pytest.approx(
        rate, abs=1e-7
    )
