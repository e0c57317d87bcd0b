"""Tests of `tff_weights.weightings.fed_adp`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights

from tff_weights import fed_adp_weighting


def _weigh(weighting, angles, counts, indices=None, history=None):
    reports = {
        "angle_to_mean": tf.constant(angles, tf.float32),
        "num_examples": tf.constant(counts, tf.float32),
    }
    if indices is not None:
        reports["client_index"] = tf.constant(indices, tf.int64)
    return weighting.weigh(weighting.initial_history() if history is None else history, reports)


def _weights(angles, counts, **arguments):
    return _weigh(fed_adp_weighting(smoothing="none", **arguments), angles, counts).weights.numpy()


def test_two_clients_by_hand():
    """α = 5, angles (1, 1.2), equal sizes.

    f(1) = 5 (1 − e^{−1}) = 3.1606028; f(1.2) = 5 (1 − e^{−e^{−1}}) = 5 (1 − 0.6922006) = 1.5389970.
    The weights are 1 / (1 + e^{f(1.2) − f(1)}) = 1 / (1 + e^{−1.6216059}) = 0.8350165 and the rest.
    """
    np.testing.assert_allclose(_weights([1, 1.2], [7, 7]), [0.8350165, 0.1649835], rtol=1e-5)


def test_sizes_multiply_by_hand():
    """As above with 1 and 5 examples: 1 and 5 · e^{−1.6216059} = 0.9879057, of 1.9879057."""
    np.testing.assert_allclose(_weights([1, 1.2], [1, 5]), [0.5030420, 0.4969580], rtol=1e-5)


def test_another_alpha_by_hand():
    """α = 2, angles (1, 2): f = 2 (1 − e^{−1}) = 1.2642411, 2 (1 − e^{−e^{−2}}) = 0.2531540.

    The first weight is 1 / (1 + e^{−1.0110872}) = 0.7332329.
    """
    np.testing.assert_allclose(_weights([1, 2], [3, 3], alpha=2.0)[0], 0.7332329, rtol=1e-5)


def test_identical_updates_are_weighed_by_their_sizes():
    """All angles are 0; so it is for any angle that is the same for all."""
    for angle in (0.0, 1.0, math.pi):
        np.testing.assert_allclose(
            _weights([angle] * 3, [1, 2, 5]), [1 / 8, 2 / 8, 5 / 8], rtol=1e-6
        )


@pytest.mark.parametrize("angle", [0.0, math.pi / 2, math.pi])
@pytest.mark.parametrize("smoothing", ["participation", "round", "none"])
def test_one_participant_has_weight_one(angle, smoothing):
    weighting = fed_adp_weighting(num_clients=3, smoothing=smoothing)
    np.testing.assert_allclose(_weigh(weighting, [angle], [1], [2]).weights, [1], rtol=1e-6)


def test_the_nearer_to_the_mean_the_more_it_weighs():
    weights = _weights(np.linspace(0, math.pi, 20), np.ones(20))
    assert np.all(np.diff(weights) <= 0)
    assert weights[0] / weights[-1] == pytest.approx(math.exp(5), rel=1e-3)


@pytest.mark.parametrize("alpha", [1e-3, 100.0, 1000.0])
def test_extreme_alphas_stay_finite(alpha):
    """e^{1000} is no float32."""
    weights = _weights([0.1, 0.9, 3.0], [1, 2, 3], alpha=alpha)
    assert weights.sum() == pytest.approx(1, rel=1e-5)
    assert np.all(weights >= 0)


def test_without_any_example_there_is_nothing_to_weigh():
    """Clients that hold nothing send updates of 0: whatever they weigh, it is a number."""
    assert np.all(np.isfinite(_weights([1, 2], [0, 0])))


def test_smoothing_by_participation_by_hand():
    """Client 0 has the angles 1, 2, 0.6 in rounds 1, 2 and 4; client 1 has 0.5 in rounds 2 and 3.

    θ̃_0 = 1, (1 + 2)/2 = 1.5, then (2 · 1.5 + 0.6)/3 = 1.2; θ̃_1 = 0.5, and (0.5 + 0.9)/2 = 0.7.
    """
    rounds = [([0], [1.0], [1.0]), ([0, 1], [2.0, 0.5], [1.5, 0.5])]
    rounds += [([1], [0.9], [0.7]), ([0], [0.6], [1.2])]
    _check_smoothing("participation", rounds, participations=[3, 2, 0])


def test_smoothing_by_the_round_by_hand():
    """As above, but t is the round: θ̃_0 = 1, (1 + 2)/2 = 1.5, then (3 · 1.5 + 0.6)/4 = 1.275.

    Client 1 first comes in round 2, where it has no earlier angle: 0.5, then (2 · 0.5 + 0.9)/3.
    """
    rounds = [([0], [1.0], [1.0]), ([0, 1], [2.0, 0.5], [1.5, 0.5])]
    rounds += [([1], [0.9], [1.9 / 3]), ([0], [0.6], [1.275])]
    _check_smoothing("round", rounds, participations=[3, 2, 0])


def _check_smoothing(smoothing, rounds, *, participations):
    weighting = fed_adp_weighting(num_clients=3, smoothing=smoothing)
    history = weighting.initial_history()
    for indices, angles, smoothed in rounds:
        weighed = _weigh(weighting, angles, [4] * len(indices), indices, history)
        np.testing.assert_allclose(weighed.measurements["smoothed_angle"], smoothed, rtol=1e-6)
        np.testing.assert_allclose(
            weighed.weights,
            reference_weights.fed_adp(smoothed, [4] * len(indices)),
            rtol=1e-5,
        )
        history = weighed.history
    np.testing.assert_array_equal(history["participations"], participations)
    assert history["rounds"] == len(rounds)


def test_with_everyone_in_every_round_both_counts_are_the_papers():
    """Eq. 9: the smoothed angle of round t is the mean of all t angles."""
    angles = np.random.default_rng(0).uniform(0, math.pi, size=(6, 4)).astype(np.float32)
    for smoothing in ("participation", "round"):
        weighting = fed_adp_weighting(num_clients=4, smoothing=smoothing)
        history = weighting.initial_history()
        for t, of_round in enumerate(angles, start=1):
            weighed = _weigh(weighting, of_round, [1] * 4, [3, 1, 0, 2], history)
            history = weighed.history
            np.testing.assert_allclose(
                weighed.measurements["smoothed_angle"], angles[:t].mean(axis=0), rtol=1e-5
            )


def test_without_smoothing_there_is_no_history():
    weighting = fed_adp_weighting(smoothing="none")
    assert not weighting.initial_history()
    assert weighting.num_clients is None
    assert weighting.report_fields == ("num_examples",)


def test_a_client_that_is_twice_in_a_cohort():
    weighed = _weigh(fed_adp_weighting(num_clients=2), [0.5, 0.5, 1], [2, 2, 3], [1, 1, 0])
    np.testing.assert_allclose(
        weighed.weights, reference_weights.fed_adp([0.5, 0.5, 1], [2, 2, 3]), rtol=1e-5
    )


@settings(deadline=None, max_examples=100)
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


def test_fields_and_history():
    weighting = fed_adp_weighting(num_clients=3)
    assert weighting.name == "fed_adp"
    assert set(weighting.report_fields) == {"client_index", "num_examples"}
    assert weighting.update_fields == ("angle_to_mean",)
    assert weighting.mean_weight == "num_examples"
    assert weighting.num_clients == 3
    history = weighting.initial_history()
    np.testing.assert_array_equal(history["smoothed_angle"], [0, 0, 0])
    np.testing.assert_array_equal(history["participations"], [0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients .*0"),
        ({"num_clients": None}, "num_clients .*None"),
        ({"alpha": 0.0}, "alpha .*0.0"),
        ({"alpha": -1.0}, "alpha .*-1.0"),
        ({"alpha": math.inf}, "alpha .*inf"),
        ({"alpha": math.nan}, "alpha .*nan"),
        ({"smoothing": "exponential"}, "smoothing .*participation.*'exponential'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fed_adp_weighting(**{"num_clients": 3, **arguments})
