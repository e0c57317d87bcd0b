"""Tests of `tff_weights.weightings.wei_avg`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from weighing import weights_of

from tff_weights import wei_avg_weighting

_FIELDS = {"entropy": "label_entropy", "projection": "projection_on_mean"}


def _weights(diversities, counts=None, *, by="entropy", **arguments):
    weighting = wei_avg_weighting(by=by, multiply_by_num_examples=counts is not None, **arguments)
    reports = {_FIELDS[by]: diversities, **({} if counts is None else {"num_examples": counts})}
    return weights_of(weighting, **reports)


@pytest.mark.parametrize("by", ["entropy", "projection"])
@pytest.mark.parametrize(
    ("counts", "arguments", "scores"),
    [
        # ε = 0.1: z = v − 1 + 0.1 · 4.
        (None, {}, [0.4, 1.4, 4.4]),
        # Their squares, and (0.4 · 10, 1.4 · 5, 4.4 · 1).
        (None, {"exponent": 2.0}, [0.16, 1.96, 19.36]),
        ([10, 5, 1], {}, [4, 7, 4.4]),
        # ε = 1: z = v − 1 + 4.
        (None, {"shift": 1.0}, [4, 5, 8]),
        (None, {"exponent": 0.0}, [1, 1, 1]),
        # z = v − 1 + 0.1, in the units of v.
        (None, {"transform": "constant"}, [0.1, 1.1, 4.1]),
    ],
)
def test_diversities_1_2_5_by_hand(by, counts, arguments, scores):
    weights = _weights([1, 2, 5], counts, by=by, **arguments)
    np.testing.assert_allclose(weights, np.array(scores) / sum(scores), rtol=1e-5)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=10),
    st.sampled_from([0.0, 0.5, 1.0, 3.0]),
)
def test_a_constant_shift_against_numpy(diversities, exponent):
    expected = reference_weights.wei_avg(diversities, exponent=exponent, is_constant=True)
    found = _weights(diversities, exponent=exponent, transform="constant")
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("value", [-2.0, 0.0, 1e-30, 3.0])
@pytest.mark.parametrize("shift", [0.1, 1e-50])
def test_values_that_are_all_equal_are_the_simple_mean(value, shift):
    """Also where 32 bits do not hold the shift: 0 / 0 would be no weight."""
    for exponent in (0.0, 1.0, 10.0):
        weights = _weights([value] * 3, exponent=exponent, shift=shift)
        np.testing.assert_allclose(weights, [1 / 3] * 3, rtol=1e-6)
    np.testing.assert_allclose(_weights([value] * 2, [1, 3], shift=shift), [1 / 4, 3 / 4])


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e3, 1e30])
@pytest.mark.parametrize("exponent", [1.0, 10.0])
def test_neither_scale_nor_origin_matter(scale, exponent):
    values = np.array([-1.0, 0.5, 2.0, 2.5])
    expected = _weights(values, exponent=exponent)
    np.testing.assert_allclose(_weights(scale * values, exponent=exponent), expected, rtol=1e-4)
    np.testing.assert_allclose(_weights(values + 4, exponent=exponent), expected, rtol=1e-4)


@pytest.mark.parametrize("exponent", [1e-4, 1.0, 1000.0, 1e6])
@pytest.mark.parametrize("shift", [1e-6, 0.1, 10.0])
def test_no_power_leaves_the_numbers_and_the_most_diverse_weighs_most(exponent, shift):
    """1.1^1000 and 11^100 are no float32."""
    weights = _weights([0.0, 0.3, 1.0], exponent=exponent, shift=shift)
    assert weights.sum() == pytest.approx(1, rel=1e-5)
    assert np.all(np.diff(weights) >= 0) and weights[2] > weights[1]


@settings(max_examples=50)
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


def test_by_default_it_needs_no_report():
    weighting = wei_avg_weighting()
    assert (weighting.report_fields, weighting.update_fields) == ((), ("projection_on_mean",))
