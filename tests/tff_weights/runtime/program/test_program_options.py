from __future__ import annotations

import dataclasses
import os

import pytest

from tff_weights.runtime import ProgramOptions


def test_the_defaults():
    assert dataclasses.asdict(ProgramOptions()) == {
        "device": "auto",
        "client_threads": os.cpu_count(),
        "default_num_clients": 0,
        "simulate_secure_aggregation": False,
    }


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("device", "tpu", ValueError),
        ("device", 0, ValueError),
        ("client_threads", 0, ValueError),
        ("client_threads", -1, ValueError),
        ("client_threads", 1.5, TypeError),
        ("client_threads", True, TypeError),
        ("default_num_clients", -1, ValueError),
        ("default_num_clients", 2.0, TypeError),
        ("simulate_secure_aggregation", 1, TypeError),
    ],
)
def test_a_wrong_option_is_named(option, value, error):
    with pytest.raises(error, match=f"^{option} must be .*{value!r}"):
        ProgramOptions(**{option: value})
