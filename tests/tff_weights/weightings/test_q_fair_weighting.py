"""Tests of `tff_weights.weightings.q_fair`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights

from tff_weights import q_fair_weighting


def _weights(q, losses, squared_norms, learning_rate=0.1):
    weighed = q_fair_weighting(q=q).weigh(
        (),
        {
            "loss_before": tf.constant(losses, tf.float32),
            "learning_rate": tf.fill([len(losses)], np.float32(learning_rate)),
            "squared_norm": tf.constant(squared_norms, tf.float32),
        },
    )
    assert weighed.history == ()
    return weighed.weights.numpy()


def test_two_clients_by_hand():
    """With η = 0.5 is L = 2, with ‖w_t − w_i‖² = (1, 3) is ‖Δw_i‖² = 4 · (1, 3) = (4, 12).

    For q = 1 and the losses (1, 4), h_i = ‖Δw_i‖² + L F_i = (4 + 2, 12 + 8) = (6, 20). The weights
    of w_t − w_i are L F_i / 26 = (2, 8) / 26.
    """
    np.testing.assert_allclose(
        _weights(1.0, [1, 4], [1, 3], learning_rate=0.5), [2 / 26, 8 / 26], rtol=1e-6
    )


def test_the_square_of_the_losses_by_hand():
    """As above with q = 2: h_i = 2 F_i ‖Δw_i‖² + L F_i² = (8 + 2, 96 + 32) = (10, 128).

    The weights are L F_i² / 138 = (2, 32) / 138.
    """
    np.testing.assert_allclose(
        _weights(2.0, [1, 4], [1, 3], learning_rate=0.5), [2 / 138, 32 / 138], rtol=1e-6
    )


def test_q_zero_is_the_simple_mean_whatever_the_losses():
    """All F_i^0 are 1 and h_i = L: the weights are L / (3 L)."""
    np.testing.assert_allclose(_weights(0.0, [0, 2, 50], [7, 0, 1]), [1 / 3] * 3, rtol=1e-6)


def test_q_zero_is_the_simple_mean_where_losses_are_further_apart_than_float32():
    np.testing.assert_allclose(_weights(0.0, [0, 3e30], [7, 1]), [1 / 2] * 2, rtol=1e-6)


def test_a_single_client_whose_model_did_not_move_has_weight_one():
    np.testing.assert_allclose(_weights(1.0, [3.0], [0.0]), [1], rtol=1e-6)


def test_clients_that_have_no_loss_left_stay_finite():
    """For q = 1, F_i = ε: h_i = 0 + L ε, the weights are L ε / (2 L ε)."""
    np.testing.assert_allclose(_weights(1.0, [0, 0], [0, 0]), [0.5, 0.5], rtol=1e-6)


@pytest.mark.parametrize("loss", [0.0, 1e9])
def test_powers_beyond_float32_stay_finite(loss):
    """1e−10⁵ and 1e9⁵ are no float32, but the weights are L F⁵ / (2 L F⁵)."""
    np.testing.assert_allclose(_weights(5.0, [loss, loss], [0, 0]), [0.5, 0.5], rtol=1e-5)


def test_losses_that_are_far_apart_stay_finite():
    """(10⁹)⁵ is no float32: the larger has all the weight, L F⁵ / (L F⁵)."""
    np.testing.assert_allclose(_weights(5.0, [1.0, 1e9], [0, 0]), [0, 1], rtol=1e-5)


def test_the_root_of_no_loss_is_that_of_epsilon():
    """For q = ½ and ε = 10⁻¹⁰ the losses 0 and 1 weigh as 10⁻⁵ and 1."""
    np.testing.assert_allclose(_weights(0.5, [0, 1], [0, 0]), [1e-5, 1], rtol=1e-4)


def test_by_default_q_is_one():
    reports = {
        "loss_before": tf.constant([1.0, 4.0]),
        "learning_rate": tf.fill([2], 0.5),
        "squared_norm": tf.constant([1.0, 3.0]),
    }
    weights = q_fair_weighting().weigh((), reports).weights
    np.testing.assert_allclose(weights, [2 / 26, 8 / 26], rtol=1e-6)


def test_a_larger_loss_weighs_more_and_the_more_so_the_larger_q_is():
    ratios = []
    for q in (0.5, 1.0, 5.0):
        small, large = _weights(q, [1.0, 3.0], [1.0, 1.0])
        ratios.append(large / small)
    np.testing.assert_allclose(ratios, [math.sqrt(3), 3, 3**5], rtol=1e-5)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.tuples(st.floats(1e-3, 10), st.floats(0, 10)),
        min_size=1,
        max_size=10,
    ),
    st.floats(0, 4),
    st.floats(1e-3, 1),
)
def test_against_numpy(clients, q, learning_rate):
    losses, squared_norms = np.array(clients, np.float32).T.astype(np.float64)
    np.testing.assert_allclose(
        _weights(q, losses, squared_norms, learning_rate),
        reference_weights.q_fair(losses, squared_norms, q=q, learning_rate=learning_rate),
        rtol=1e-5,
    )


def test_fields():
    weighting = q_fair_weighting()
    assert weighting.name == "q_fair"
    assert set(weighting.report_fields) == {"loss_before", "learning_rate"}
    assert weighting.update_fields == ("squared_norm",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": -0.5}, "q .*-0.5"),
        ({"q": math.inf}, "q .*inf"),
        ({"q": math.nan}, "q .*nan"),
        ({"epsilon": 0.0}, "epsilon .*0.0"),
        ({"epsilon": math.nan}, "epsilon .*nan"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        q_fair_weighting(**arguments)
