from __future__ import annotations

import dataclasses

import pytest

from benchmarks.cases import CASES
from benchmarks.targets import Quantity, Target


def test_a_ratio_needs_a_reference():
    evaluation = CASES["evaluation/mnist"]
    with pytest.raises(ValueError, match="Per-client evaluation, .* needs a reference"):
        dataclasses.replace(evaluation, target=Target(Quantity.TIMES_AS_LONG, 1.0))


def test_so_does_a_tolerance():
    with pytest.raises(ValueError, match="needs a reference"):
        dataclasses.replace(CASES["evaluation/mnist"], tolerance=1e-5)


def test_sizes_can_be_chosen_but_for_the_fixed():
    evaluation = CASES["evaluation/mnist"]
    assert evaluation.resized(clients=3).clients == 3
    with pytest.raises(ValueError, match="steps cannot be chosen for .Per-client evaluation"):
        evaluation.resized(clients=3, steps=2)
