"""What an argument must not be given, by what it takes, as strategies of Hypothesis."""

from __future__ import annotations

import math

from hypothesis import strategies as st

_OF_NO_TYPE = (None, True, "1", "", [1], b"1", {}, 10**400, -(10**400))
_NOT_FINITE = (math.nan, math.inf, -math.inf)
# Of few characters: Hypothesis takes seconds to sort all of Unicode.
_texts = st.text("aé1.- \n")


def not_numbers(
    above: float | None = None,
    below: float | None = None,
    *,
    least: float | None = None,
    most: float | None = None,
) -> st.SearchStrategy:
    """What is no finite number in a range; `least` and `most` are in it, the others are not."""
    wrong = st.sampled_from([*_OF_NO_TYPE, *_NOT_FINITE]) | _texts
    if above is not None:
        wrong |= st.just(above) | st.floats(max_value=above)
    if least is not None:
        wrong |= st.floats(max_value=least, exclude_max=True)
    if below is not None:
        wrong |= st.just(below) | st.floats(min_value=below)
    if most is not None:
        wrong |= st.floats(min_value=most, exclude_min=True)
    return wrong


def not_integers(least: int, *, most: int | None = 2**31 - 1) -> st.SearchStrategy:
    """What is no integer from `least` to `most`; without the latter, as many as there are."""
    out_of_range = st.just(least - 1) | st.integers(max_value=least - 1)
    if most is not None:
        out_of_range |= st.just(most + 1) | st.integers(min_value=most + 1)
    wrong = [value for value in _OF_NO_TYPE if most is not None or value != 10**400]
    return st.sampled_from([*wrong, *_NOT_FINITE, float(least)]) | st.floats() | out_of_range


def not_counts() -> st.SearchStrategy:
    """What is no integer of 32 bits from 1 on."""
    return not_integers(1)


def not_seeds() -> st.SearchStrategy:
    """What is no integer from 0 on, however large."""
    return not_integers(0, most=None)


def not_fractions() -> st.SearchStrategy:
    """What is no number in (0, 1]."""
    return not_numbers(0, most=1)


def not_truth_values() -> st.SearchStrategy:
    """What is neither True nor False."""
    return st.sampled_from((0, 1, 0.0, "yes", "True", None, math.nan, []))


def not_texts() -> st.SearchStrategy:
    """What is no text, or empty; also no path."""
    return st.sampled_from((None, 3, 0.5, "", True, math.nan, [], ["a"], {}))


def not_choices() -> st.SearchStrategy:
    """What is none of a few names."""
    return st.sampled_from((3, None, "", True, [], "no such name", "no such one"))


def not_shapes(ranks: tuple[int, ...] | None = None) -> st.SearchStrategy:
    """What are no sizes from 1 on, or another number of them than `ranks` allows."""
    wrong = (None, 3, "28x28", (), (28, 0), (28, -1), (28, 2.0), (True, 28), (math.nan, 28))
    shapes = st.sampled_from(wrong)
    if ranks is None:
        return shapes
    return shapes | st.sampled_from([(28,) * rank for rank in range(1, 6) if rank not in ranks])


def but_none(strategy: st.SearchStrategy) -> st.SearchStrategy:
    """What is refused where None is not."""
    return strategy.filter(lambda value: value is not None)
