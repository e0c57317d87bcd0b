"""Tests of `tff_weights.weightings.fed_nova`."""

import math

import numpy as np
import pytest
from weighing import weights_of

from tff_weights import fed_nova_weighting


@pytest.mark.parametrize("decay", [1e-15, 1e-7, 1e-3, 1.0, 1.5, 2.0, 2.001])
@pytest.mark.parametrize("steps", [1, 50, 5000])
def test_the_proximal_sum_keeps_its_precision(decay, steps):
    """FedProx's μ = 0.001 with η = 0.01 has ημ = 1e−5; 1 − (1 − ημ) keeps few digits of it.

    Above ημ = 1 the terms change their signs, and their norm is that of their absolute values.
    """
    (weight,) = weights_of(
        fed_nova_weighting(proximal_strength=1.0),
        num_examples=[1],
        num_steps=[steps],
        learning_rate=[decay],
    )
    ratio = abs(1 - float(np.float32(decay)))
    np.testing.assert_allclose(weight, steps / math.fsum(ratio**k for k in range(steps)), rtol=1e-5)
