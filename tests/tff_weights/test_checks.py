"""Tests of `tff_weights.checks`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tff_weights.checks import check_integer, check_number, check_one_of

_NO_NUMBERS = st.one_of(
    st.none(), st.booleans(), st.text(), st.binary(), st.complex_numbers(), st.lists(st.floats())
)


@given(st.one_of(st.floats(), st.integers()))
def test_a_number_is_allowed_if_it_is_in_range(value):
    try:
        check_number("x", value, lambda x: 0 < x < 1, "in (0, 1)")
    except ValueError as error:
        assert str(error) == f"x must be in (0, 1), got {value!r}"
        assert not 0 < value < 1
    else:
        assert 0 < value < 1


@given(st.integers())
def test_an_integer_is_allowed_if_it_is_in_range(value):
    try:
        check_integer("x", value, least=2, below=10)
    except ValueError as error:
        assert str(error) == f"x must be an integer >= 2, < 10, got {value!r}"
        assert not 2 <= value < 10
    else:
        assert 2 <= value < 10


@given(_NO_NUMBERS)
def test_what_is_no_number_is_refused_by_name(value):
    with pytest.raises(ValueError, match="x must be any number, got "):
        check_number("x", value, lambda _: True, "any number")
    with pytest.raises(ValueError, match="x must be an integer >= 0, < 2,147,483,648, got "):
        check_integer("x", value, least=0)


@pytest.mark.parametrize("value", [2.0, np.float32(2), math.nan, math.inf])
def test_a_float_is_no_integer(value):
    with pytest.raises(ValueError, match="x must be an integer >= 0"):
        check_integer("x", value, least=0)


def test_numpys_numbers_are_numbers():
    for value in (np.float32(0.5), np.float64(0.5), np.int64(0), 0.5):
        check_number("x", value, lambda x: 0 <= x < 1, "in [0, 1)")
    check_integer("x", np.int32(3), least=0)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_an_integer_that_no_float_holds_is_infinite(value):
    with pytest.raises(ValueError, match="x must be finite"):
        check_number("x", value, math.isfinite, "finite")


@given(st.one_of(_NO_NUMBERS, st.floats(), st.sampled_from(["a", "b"])))
def test_a_name_is_one_of_a_few(value):
    """Lists and dictionaries, which have no hash, are refused like any other value."""
    if value in ("a", "b"):
        check_one_of("x", value, {"a": 1, "b": 2})
    else:
        with pytest.raises(ValueError, match="x must be one of a, b, got "):
            check_one_of("x", value, {"a": 1, "b": 2})
