"""Tests of `tff_weights.weightings.wei_avg`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights

from tff_weights import wei_avg_weighting

_FIELDS = {"entropy": "label_entropy", "projection": "projection_on_mean"}


def _weights(diversities, counts=None, *, by="entropy", **arguments):
    weighting = wei_avg_weighting(by=by, multiply_by_num_examples=counts is not None, **arguments)
    reports = {_FIELDS[by]: tf.constant(diversities, tf.float32)}
    if counts is not None:
        reports["num_examples"] = tf.constant(counts, tf.float32)
    weighed = weighting.weigh(weighting.initial_history(), reports)
    assert not weighed.history
    return weighed.weights.numpy()


@pytest.mark.parametrize("by", ["entropy", "projection"])
def test_three_clients_by_hand(by):
    """v = (1, 2, 5), ε = 0.1: z = v − 1 + 0.1 · 4 = (0.4, 1.4, 4.4), their sum 6.2."""
    np.testing.assert_allclose(
        _weights([1, 2, 5], by=by), [0.4 / 6.2, 1.4 / 6.2, 4.4 / 6.2], rtol=1e-6
    )


def test_the_square_by_hand():
    """The squares of (0.4, 1.4, 4.4) are (0.16, 1.96, 19.36), their sum 21.48."""
    np.testing.assert_allclose(
        _weights([1, 2, 5], exponent=2.0), np.array([0.16, 1.96, 19.36]) / 21.48, rtol=1e-5
    )


def test_another_shift_by_hand():
    """ε = 1: z = v − 1 + 4 = (4, 5, 8), their sum 17."""
    np.testing.assert_allclose(_weights([1, 2, 5], shift=1.0), [4 / 17, 5 / 17, 8 / 17], rtol=1e-6)


def test_numbers_of_examples_multiply_by_hand():
    """(0.4 · 10, 1.4 · 5, 4.4 · 1) = (4, 7, 4.4), their sum 15.4."""
    np.testing.assert_allclose(
        _weights([1, 2, 5], [10, 5, 1]), [4 / 15.4, 7 / 15.4, 4.4 / 15.4], rtol=1e-6
    )


def test_an_exponent_of_zero_is_the_simple_mean():
    np.testing.assert_allclose(_weights([-3, 0, 50, 7], exponent=0.0), [0.25] * 4, rtol=1e-6)


@pytest.mark.parametrize("value", [-2.0, 0.0, 1e-30, 3.0])
def test_values_that_are_all_equal_are_the_simple_mean(value):
    for exponent in (0.0, 1.0, 10.0):
        np.testing.assert_allclose(_weights([value] * 3, exponent=exponent), [1 / 3] * 3, rtol=1e-6)
    np.testing.assert_allclose(_weights([value] * 2, [1, 3]), [0.25, 0.75], rtol=1e-6)


def test_a_shift_that_32_bits_do_not_hold_leaves_equal_values_equal():
    """10⁻⁵⁰ is 0 in float32, and 0 / 0 would be no weight."""
    np.testing.assert_allclose(_weights([2.0, 2.0], shift=1e-50), [0.5, 0.5])
    np.testing.assert_allclose(_weights([2.0, 2.0], [1, 3], shift=1e-50), [0.25, 0.75])


def test_one_participant_has_weight_one():
    np.testing.assert_allclose(_weights([-0.7]), [1], rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e3, 1e30])
@pytest.mark.parametrize("exponent", [1.0, 10.0])
def test_neither_scale_nor_origin_matter(scale, exponent):
    values = np.array([-1.0, 0.5, 2.0, 2.5])
    expected = _weights(values, exponent=exponent)
    np.testing.assert_allclose(_weights(scale * values, exponent=exponent), expected, rtol=1e-4)
    np.testing.assert_allclose(_weights(values + 4, exponent=exponent), expected, rtol=1e-4)


@pytest.mark.parametrize("exponent", [1.0, 100.0, 1000.0, 1e6])
@pytest.mark.parametrize("shift", [1e-6, 0.1, 10.0])
def test_no_power_leaves_the_numbers(exponent, shift):
    """1.1^1000 and 11^100 are no float32."""
    weights = _weights([0.0, 0.3, 1.0], exponent=exponent, shift=shift)
    assert weights.sum() == pytest.approx(1, rel=1e-5)
    assert weights.argmax() == 2


@pytest.mark.parametrize("exponent", [1e-4, 0.1, 1.0, 10.0])
def test_the_more_diverse_the_more_it_weighs(exponent):
    assert np.all(np.diff(_weights([0.0, 0.5, 1.0, 2.0], exponent=exponent)) > 0)


@settings(deadline=None, max_examples=100)
@given(
    # Whole numbers, so that differences lose nothing and ties are ties.
    st.lists(st.tuples(st.integers(-1000, 1000), st.integers(1, 10**4)), min_size=1, max_size=12),
    st.floats(0, 10),
    st.floats(0.01, 1),
    st.booleans(),
)
def test_against_numpy(clients, exponent, shift, multiply):
    diversities, counts = zip(*clients)
    counts = counts if multiply else None
    np.testing.assert_allclose(
        _weights(diversities, counts, exponent=exponent, shift=shift),
        reference_weights.wei_avg(diversities, exponent=exponent, shift=shift, counts=counts),
        rtol=1e-5,
    )


def test_fields():
    by_entropy, by_projection = wei_avg_weighting(by="entropy"), wei_avg_weighting()
    assert (by_entropy.report_fields, by_entropy.update_fields) == (("label_entropy",), ())
    assert (by_projection.report_fields, by_projection.update_fields) == (
        (),
        ("projection_on_mean",),
    )
    assert by_projection.mean_weight is None
    multiplied = wei_avg_weighting(by="entropy", multiply_by_num_examples=True)
    assert multiplied.report_fields == ("label_entropy", "num_examples")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "accuracy"}, "by .*entropy.*projection.*'accuracy'"),
        ({"exponent": -1.0}, "exponent .*-1.0"),
        ({"exponent": math.inf}, "exponent .*inf"),
        ({"exponent": math.nan}, "exponent .*nan"),
        ({"shift": 0.0}, "shift .*0.0"),
        ({"shift": math.inf}, "shift .*inf"),
        ({"shift": math.nan}, "shift .*nan"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        wei_avg_weighting(**arguments)
