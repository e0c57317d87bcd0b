from __future__ import annotations

import pytest

from tff_weights.runtime import ClusterOptions


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"workers": 0}, ValueError, "workers must be at least 1, but is 0"),
        ({"workers": True}, TypeError, "workers must be an integer, but is True"),
        ({"workers": 1, "address": 6379}, TypeError, "address must be a string or None"),
        ({"workers": 1, "address": ""}, ValueError, "address must be HOST:PORT or None"),
        ({"workers": 1, "program": "cpu"}, TypeError, "program must be ProgramOptions"),
    ],
)
def test_bad_options_are_named(given, error, message):
    with pytest.raises(error, match=message):
        ClusterOptions(**given)
