"""Tests of `tff_weights.weightings.fed_nova`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights

from tff_weights import fed_nova_weighting


def _weights(counts, steps, *, learning_rate=0.1, **arguments):
    weighed = fed_nova_weighting(**arguments).weigh(
        (),
        {
            "num_examples": tf.constant(counts, tf.float32),
            "num_steps": tf.constant(steps, tf.float32),
            "learning_rate": tf.fill([len(counts)], np.float32(learning_rate)),
        },
    )
    assert weighed.history == ()
    return weighed.weights.numpy()


def test_plain_sgd_by_hand():
    """n = (10, 30), τ = (2, 6): τ_eff = 2/4 + 18/4 = 5, weights 5 · (1/4) / 2 and 5 · (3/4) / 6."""
    np.testing.assert_allclose(_weights([10, 30], [2, 6]), [0.625, 0.625], rtol=1e-6)


def test_momentum_by_hand():
    """ρ = 1/2, τ = (1, 2): a_1 = (1), a_2 = (1 + 1/2, 1), ‖a‖₁ = (1, 2.5).

    With equal sizes τ_eff = 1.75 and the weights are 1.75 · (1/2) / (1, 2.5) = (0.875, 0.35).
    """
    np.testing.assert_allclose(_weights([5, 5], [1, 2], momentum=0.5), [0.875, 0.35], rtol=1e-6)


def test_a_proximal_term_by_hand():
    """ημ = 1/2, τ = (1, 2): a_1 = (1), a_2 = (1/2, 1), ‖a‖₁ = (1, 1.5).

    With equal sizes τ_eff = Σ p_i τ_i = 1.5 and the weights are 0.75 / (1, 1.5) = (0.75, 0.5).
    """
    np.testing.assert_allclose(
        _weights([5, 5], [1, 2], proximal_strength=1.0, learning_rate=0.5), [0.75, 0.5], rtol=1e-6
    )


@pytest.mark.parametrize("arguments", [{}, {"momentum": 0.9}])
@pytest.mark.parametrize("steps", [1, 7, 500])
def test_equal_steps_are_weighed_by_their_sizes(arguments, steps):
    np.testing.assert_allclose(
        _weights([1, 2, 5], [steps] * 3, **arguments), [1 / 8, 2 / 8, 5 / 8], rtol=1e-5
    )


def test_one_participant_has_weight_one():
    np.testing.assert_allclose(_weights([3], [17]), [1], rtol=1e-6)
    np.testing.assert_allclose(_weights([3], [17], momentum=0.9), [1], rtol=1e-6)


@pytest.mark.parametrize("arguments", [{}, {"momentum": 0.5}, {"proximal_strength": 1.0}])
def test_a_client_without_steps_has_no_weight(arguments):
    """Of equal sizes; the other's τ_eff is half of its own ‖a‖₁, or τ, so its weight 1/4 of it."""
    weights = _weights([4, 4], [0, 1], **arguments)
    np.testing.assert_allclose(weights, [0, 0.25], rtol=1e-5)


def test_nobody_took_a_step():
    np.testing.assert_array_equal(_weights([4, 4], [0, 0]), [0, 0])


@pytest.mark.parametrize("decay", [1e-7, 1e-5, 1e-3, 0.5, 1.0])
@pytest.mark.parametrize("steps", [1, 2, 50, 5000])
def test_the_proximal_sum_keeps_its_precision(decay, steps):
    """FedProx's μ = 0.001 with η = 0.01 has ημ = 1e−5, of which 1 − (1 − ημ) keeps few digits."""
    (weight,) = _weights([1], [steps], proximal_strength=1.0, learning_rate=decay)
    geometric = math.fsum((1 - float(np.float32(decay))) ** k for k in range(steps))
    np.testing.assert_allclose(weight, steps / geometric, rtol=1e-5)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.tuples(st.integers(1, 10**4), st.integers(1, 60)), min_size=1, max_size=8),
    st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.99]),
)
def test_plain_and_momentum_against_numpy(clients, momentum):
    counts, steps = zip(*clients)
    np.testing.assert_allclose(
        _weights(counts, steps, momentum=momentum),
        reference_weights.fed_nova(counts, steps, momentum=momentum),
        rtol=1e-5,
    )


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.tuples(st.integers(1, 10**4), st.integers(1, 60)), min_size=1, max_size=8),
    st.floats(1e-4, 2),
    st.floats(1e-3, 0.4),
)
def test_proximal_against_numpy(clients, strength, learning_rate):
    counts, steps = zip(*clients)
    np.testing.assert_allclose(
        _weights(counts, steps, proximal_strength=strength, learning_rate=learning_rate),
        reference_weights.fed_nova(
            counts, steps, proximal_strength=strength, learning_rate=learning_rate
        ),
        rtol=1e-5,
    )


def test_fields():
    weighting = fed_nova_weighting()
    assert weighting.name == "fed_nova"
    assert set(weighting.report_fields) == {"num_examples", "num_steps", "learning_rate"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"momentum": 1.0}, "momentum .*1.0"),
        ({"momentum": -0.1}, "momentum .*-0.1"),
        ({"momentum": math.nan}, "momentum .*nan"),
        ({"proximal_strength": -1.0}, "proximal_strength .*-1.0"),
        ({"proximal_strength": math.inf}, "proximal_strength .*inf"),
        ({"proximal_strength": math.nan}, "proximal_strength .*nan"),
        (
            {"momentum": 0.5, "proximal_strength": 0.25},
            "not both.*momentum=0.5.*proximal_strength=0.25",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fed_nova_weighting(**arguments)
