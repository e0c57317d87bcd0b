from __future__ import annotations

from tff_weights.runtime import Traffic, traffic


def test_traffic_adds_up():
    """10 + 4 = 14 bytes out, 3 + 1 = 4 back, 0.5 + 0.25 s; and the first is what is left again."""
    first, second = Traffic(10, 3, 0.5), Traffic(4, 1, 0.25)
    assert first + second == Traffic(14, 4, 0.75)
    assert (first + second) - second == first


def test_a_runtime_inside_the_program_moves_nothing():
    assert traffic() is None
