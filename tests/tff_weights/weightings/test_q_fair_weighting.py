"""Tests of `tff_weights.weightings.q_fair`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

from tff_weights import q_fair_weighting


def _weights(losses, squared_norms, learning_rate=0.1, **arguments):
    return weights_of(
        q_fair_weighting(**arguments),
        loss_before=losses,
        squared_norm=squared_norms,
        learning_rate=[learning_rate] * len(losses),
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        # h_i = ‖Δw_i‖² + L F_i = (4 + 2, 12 + 8); by default q is 1.
        ({"q": 1.0}, [2 / 26, 8 / 26]),
        ({}, [2 / 26, 8 / 26]),
        # h_i = 2 F_i ‖Δw_i‖² + L F_i² = (8 + 2, 96 + 32); the weights are L F_i² / 138.
        ({"q": 2.0}, [2 / 138, 32 / 138]),
    ],
)
def test_two_clients_by_hand(arguments, expected):
    """With η = 0.5 is L = 2; with ‖w_t − w_i‖² = (1, 3) is ‖Δw_i‖² = 4 · (1, 3); losses (1, 4)."""
    weights = _weights([1, 4], [1, 3], learning_rate=0.5, **arguments)
    np.testing.assert_allclose(weights, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("q", "losses", "squared_norms", "expected"),
    [
        # For q = 0 all F_i^0 are 1 and h_i = L, however far apart the losses.
        (0.0, [0, 2, 50], [7, 0, 1], [1 / 3] * 3),
        (0.0, [0, 3e30], [7, 1], [1 / 2] * 2),
        # One client whose model did not move: L F / L F.
        (1.0, [3.0], [0.0], [1.0]),
        # F_i = ε: h_i = 0 + L ε, the weights are L ε / (2 L ε).
        (1.0, [0, 0], [0, 0], [0.5, 0.5]),
        # 1e−10⁵ and 1e9⁵ are no float32, but the weights are L F⁵ / (2 L F⁵).
        (5.0, [0, 0], [0, 0], [0.5, 0.5]),
        (5.0, [1e9, 1e9], [0, 0], [0.5, 0.5]),
        (5.0, [1.0, 1e9], [0, 0], [0, 1]),
        # With ε = 10⁻¹⁰ the losses 0 and 1 weigh as 10⁻⁵ and 1.
        (0.5, [0, 1], [0, 0], [1e-5, 1]),
    ],
)
def test_extreme_losses_by_hand(q, losses, squared_norms, expected):
    np.testing.assert_allclose(_weights(losses, squared_norms, q=q), expected, rtol=1e-4)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.floats(1e-3, 10), st.floats(0, 10)), min_size=1, max_size=10),
    st.floats(0, 4),
    st.floats(1e-3, 1),
)
def test_against_numpy(clients, q, learning_rate):
    losses, squared_norms = np.array(clients, np.float32).T.astype(np.float64)
    np.testing.assert_allclose(
        _weights(losses, squared_norms, learning_rate, q=q),
        reference_weights.q_fair(losses, squared_norms, q=q, learning_rate=learning_rate),
        rtol=1e-5,
    )
