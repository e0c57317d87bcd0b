"""Tests of `tff_weights.weightings.fed_fa`."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weigh

from tff_weights import fed_fa_weighting


def _weigh(participations, indices, accuracies, *, alpha=0.5):
    """The weights, and how often each client has taken part after the round."""
    weighed = weigh(
        fed_fa_weighting(num_clients=len(participations), alpha=alpha, beta=1 - alpha),
        {"participations": tf.constant(participations, tf.int64)},
        client_index=indices,
        accuracy_after=accuracies,
    )
    return weighed.weights.numpy(), weighed.history["participations"].numpy()


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (1.0, [0.2, 0.4, 0.4]),
        (0.0, [0.2267871, 0.2267871, 0.5464258]),
        (0.5, [0.2133936, 0.3133936, 0.4732129]),
    ],
)
def test_three_clients_by_hand(alpha, expected):
    """Accuracies (0.5, 0.25, 0.25); 0, 0 and 1 rounds before this one, now (1, 1, 2).

    A = (1/2, 1/4, 1/4), its information (1, 2, 2) bits, normalised (1, 2, 2) / 5.
    φ = (1/4, 1/4, 1/2), −log₂(1 − φ) = (log₂ 4/3, log₂ 4/3, 1) = (0.4150375, 0.4150375, 1), their
    sum 1.830075, normalised (0.2267871, 0.2267871, 0.5464258).
    With α = β = 1/2 the weights are the means of the two.
    """
    weights, participations = _weigh([0, 0, 5, 1], [0, 1, 3], [0.5, 0.25, 0.25], alpha=alpha)
    np.testing.assert_allclose(weights, expected, atol=1e-6)
    np.testing.assert_array_equal(participations, [1, 1, 5, 2])


@pytest.mark.parametrize("accuracy", [0.0, 1.0, 0.3])
def test_accuracies_that_are_all_alike_leave_the_participations_to_decide(accuracy):
    """f = (1, 3), φ = (1/4, 3/4), −log₂(1 − φ) = (0.4150375, 2), normalised (0.171855, 0.828145).

    The half of the accuracies is (1/4, 1/4), also where all are 0 and A_i^inf = −log₂ c for both.
    """
    weights, _ = _weigh([0, 2], [0, 1], [accuracy, accuracy])
    np.testing.assert_allclose(weights, [0.25 + 0.171855 / 2, 0.25 + 0.828145 / 2], atol=1e-6)


@st.composite
def _cohorts(draw):
    """Accuracies are fractions of whole examples, from none right to all right."""
    num_clients = draw(st.integers(1, 12))
    participations = draw(st.lists(st.integers(0, 20), min_size=num_clients, max_size=num_clients))
    indices = draw(st.lists(st.integers(0, num_clients - 1), min_size=1, max_size=12))
    accuracies = []
    for _ in indices:
        num_examples = draw(st.integers(1, 500))
        accuracies.append(draw(st.integers(0, num_examples)) / num_examples)
    return participations, indices, accuracies


@settings(max_examples=100)
@given(_cohorts(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_against_numpy(cohort, alpha):
    participations, indices, accuracies = cohort
    weights, counted = _weigh(participations, indices, accuracies, alpha=alpha)
    expected_counts = participations + np.bincount(indices, minlength=len(participations))
    np.testing.assert_array_equal(counted, expected_counts)
    expected = reference_weights.fed_fa(
        accuracies, expected_counts[indices].tolist(), alpha=alpha, beta=1 - alpha
    )
    np.testing.assert_allclose(weights, expected, rtol=1e-5, atol=2e-6)
    assert weights.sum() == pytest.approx(1, rel=1e-5)
