from __future__ import annotations

import pytest

from tff_weights.runtime import ProgramOptions


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("device", "tpu", ValueError),
        ("client_threads", 0, ValueError),
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
