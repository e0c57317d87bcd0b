"""Tests of `tff_weights.weightings.fed_adp`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weigh, weights_of

from tff_weights import fed_adp_weighting


def _weights(angles, counts, **arguments):
    weighting = fed_adp_weighting(smoothing="none", **arguments)
    return weights_of(weighting, angle_to_mean=angles, num_examples=counts)


@pytest.mark.parametrize("alpha", [1e-3, 100.0, 1000.0])
def test_extreme_alphas_stay_finite(alpha):
    """e^{1000} is no float32."""
    weights = _weights([0.1, 0.9, 3.0], [1, 2, 3], alpha=alpha)
    assert weights.sum() == pytest.approx(1, rel=1e-5)
    assert np.all(weights >= 0)


@pytest.mark.parametrize(
    ("smoothing", "third", "last"), [("participation", 0.7, 1.2), ("round", 1.9 / 3, 1.275)]
)
def test_smoothing_by_hand(smoothing, third, last):
    """Client 0 has the angles 1, 2, 0.6 in rounds 1, 2 and 4; client 1 has 0.5, 0.9 in 2 and 3.

    By participation: θ̃_0 = 1, (1 + 2)/2 = 1.5, (2 · 1.5 + 0.6)/3 = 1.2; θ̃_1 = 0.5, (0.5 + 0.9)/2.
    By the round: θ̃_0 = 1, 1.5, (3 · 1.5 + 0.6)/4 = 1.275; θ̃_1 = 0.5, (2 · 0.5 + 0.9)/3, since a
    client's first angle has none before it.
    """
    weighting = fed_adp_weighting(num_clients=3, smoothing=smoothing)
    history = weighting.initial_history()
    rounds = [([0], [1.0], [1.0]), ([0, 1], [2.0, 0.5], [1.5, 0.5])]
    for indices, angles, smoothed in [*rounds, ([1], [0.9], [third]), ([0], [0.6], [last])]:
        counts = [4] * len(indices)
        weighed = weigh(
            weighting, history, client_index=indices, angle_to_mean=angles, num_examples=counts
        )
        np.testing.assert_allclose(weighed.measurements["smoothed_angle"], smoothed, rtol=1e-6)
        expected = reference_weights.fed_adp(smoothed, counts)
        np.testing.assert_allclose(weighed.weights, expected, rtol=1e-5)
        history = weighed.history
    np.testing.assert_array_equal(history["participations"], [3, 2, 0])
    assert history["rounds"] == 4


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.floats(0, 3.140625, width=32), st.integers(1, 10**5)), min_size=1, max_size=12
    ),
    st.floats(0.1, 10),
)
def test_against_numpy(clients, alpha):
    angles, counts = zip(*clients)
    np.testing.assert_allclose(
        _weights(angles, counts, alpha=alpha),
        reference_weights.fed_adp(angles, counts, alpha=alpha),
        # f is as steep as α²/e, and an angle is known to a float32's precision.
        rtol=1e-5 * max(1, alpha),
    )
