"""Tests of `tff_weights.weightings.fed_nova`."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

from tff_weights import fed_nova_weighting


def _weights(counts, steps, *, learning_rate=0.1, **solver):
    return weights_of(
        fed_nova_weighting(**solver),
        num_examples=counts,
        num_steps=steps,
        learning_rate=[learning_rate] * len(counts),
    )


_MOMENTUM = {"momentum": 0.5}
_PROXIMAL = {"proximal_strength": 1.0, "learning_rate": 0.5}


@pytest.mark.parametrize(
    ("solver", "counts", "steps", "expected"),
    [
        # τ_eff = 2/4 + 18/4 = 5; the weights are 5 · (1/4) / 2 and 5 · (3/4) / 6.
        ({}, [10, 30], [2, 6], [0.625, 0.625]),
        # ρ = 1/2: a_1 = (1), a_2 = (1 + 1/2, 1), ‖a‖₁ = (1, 2.5), τ_eff = 1.75.
        # The weights are 1.75 · (1/2) / (1, 2.5).
        (_MOMENTUM, [5, 5], [1, 2], [0.875, 0.35]),
        # ημ = 1/2: a_1 = (1), a_2 = (1/2, 1), ‖a‖₁ = (1, 1.5), τ_eff = Σ p_i τ_i = 1.5.
        # The weights are 0.75 / (1, 1.5).
        (_PROXIMAL, [5, 5], [1, 2], [0.75, 0.5]),
        # Of equal steps the sizes remain.
        *(({}, [1, 2, 5], [tau] * 3, [1 / 8, 2 / 8, 5 / 8]) for tau in (1, 500)),
        ({"momentum": 0.9}, [1, 2, 5], [500] * 3, [1 / 8, 2 / 8, 5 / 8]),
        # A client without steps has no weight: τ_eff is half of the other's ‖a‖₁, or of its τ, and
        # its weight half of that.
        *((solver, [4, 4], [0, 1], [0, 0.25]) for solver in ({}, _MOMENTUM, _PROXIMAL)),
        ({}, [4, 4], [0, 0], [0, 0]),
    ],
)
def test_weights_by_hand(solver, counts, steps, expected):
    np.testing.assert_allclose(_weights(counts, steps, **solver), expected, rtol=1e-5)


@pytest.mark.parametrize("decay", [1e-7, 1e-5, 1e-3, 0.5, 1.0])
@pytest.mark.parametrize("steps", [1, 2, 50, 5000])
def test_the_proximal_sum_keeps_its_precision(decay, steps):
    """FedProx's μ = 0.001 with η = 0.01 has ημ = 1e−5; 1 − (1 − ημ) keeps few digits of it."""
    (weight,) = _weights([1], [steps], proximal_strength=1.0, learning_rate=decay)
    geometric = math.fsum((1 - float(np.float32(decay))) ** k for k in range(steps))
    np.testing.assert_allclose(weight, steps / geometric, rtol=1e-5)


_SOLVERS = st.fixed_dictionaries(
    {"momentum": st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.99])}
) | st.fixed_dictionaries(
    {"proximal_strength": st.floats(1e-4, 2), "learning_rate": st.floats(1e-3, 0.4)}
)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(1, 10**4), st.integers(1, 60)), min_size=1, max_size=8), _SOLVERS
)
def test_against_numpy(clients, solver):
    counts, steps = zip(*clients)
    expected = reference_weights.fed_nova(counts, steps, **solver)
    np.testing.assert_allclose(_weights(counts, steps, **solver), expected, rtol=1e-5)
