from __future__ import annotations

import dataclasses
import os

import pytest

from tff_weights.runtime import WorkerOptions


def test_the_defaults():
    """Sums in the clear are TFF's default as well, a limit of calls is not."""
    options = WorkerOptions()
    assert options.max_concurrent_computation_calls == 2 * os.cpu_count()
    assert not options.simulate_secure_aggregation


def test_options_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        WorkerOptions().startup_timeout_seconds = 1.0


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("max_concurrent_computation_calls", 0, ValueError),
        ("max_concurrent_computation_calls", -2, ValueError),
        ("max_concurrent_computation_calls", 1.5, TypeError),
        ("max_concurrent_computation_calls", True, TypeError),
        ("startup_timeout_seconds", 0, ValueError),
        ("startup_timeout_seconds", float("nan"), ValueError),
        ("startup_timeout_seconds", float("inf"), ValueError),
        ("startup_timeout_seconds", "60", TypeError),
        ("simulate_secure_aggregation", 1, TypeError),
    ],
)
def test_a_wrong_option_is_named_with_its_value(argument, value, error):
    with pytest.raises(error, match=argument) as raised:
        WorkerOptions(**{argument: value})
    assert repr(value) in str(raised.value)
