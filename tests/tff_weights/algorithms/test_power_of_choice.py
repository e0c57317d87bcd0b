"""Tests of `tff_weights.algorithms.power_of_choice`."""

from __future__ import annotations

import math

import pytest

from tff_weights.algorithms.power_of_choice import largest_losses


@pytest.mark.parametrize(
    ("losses", "num_chosen", "expected"),
    [
        ([0.5, 2.0, 1.0, 3.0], 2, [4, 9]),
        ([1.0, 2.0, 2.0, 2.0], 2, [4, 7]),
        ([math.nan, 0.1, math.inf, math.nan], 3, [1, 4, 7]),
        ([0.5, 2.0, 1.0, 3.0], 4, [1, 4, 7, 9]),
    ],
    ids=["largest", "equal", "not numbers", "all"],
)
def test_who_is_chosen_of_the_candidates_1_4_7_and_9(losses, num_chosen, expected):
    assert largest_losses([1, 4, 7, 9], losses, num_chosen=num_chosen) == expected
