from __future__ import annotations

import pytest

from benchmarks.cluster.cost import CostModel, Observation, Round

# A round over A actors takes 1 + 2 A + (0.5 + 0.25 A) · bytes and what the longest computes.
_MODEL = CostModel(fixed=1.0, per_actor=2.0, per_byte=0.5, per_actor_byte=0.25)


def test_seconds_by_hand():
    """Over two actors one has two of three clients; 1 + 4 + (0.5 + 0.5) · 8 + 6 · 2/3 = 17.

    At 16 bits a second the network takes 16 more for 2 · 2 · 8 bytes. Two actors win a sixth of the
    computing against one processor and a half, for an overhead of 13, and nothing against two.
    """
    three = Round(clients=3, model_bytes=8, computing=6.0)
    assert _MODEL.seconds(three, 2) == pytest.approx(17.0)
    assert _MODEL.seconds(three, 2, bits_per_second=16.0) == pytest.approx(33.0)
    two = three._replace(clients=2)
    assert _MODEL.least_computing(two, 2, as_fast_as=1.5) == pytest.approx(78.0)
    assert _MODEL.least_computing(two, 2, as_fast_as=2.0) == float("inf")


def test_a_fit_finds_the_model_if_sizes_and_actors_differ():
    sizes = [Round(4, size, 0.1) for size in (4, 4_000, 40_000_000)]
    seen = [Observation(each, n, _MODEL.seconds(each, n)) for each in sizes for n in (1, 2)]
    found = CostModel.fit(seen)
    for each in (*sizes, Round(8, 1_000_000, 9.0)):
        assert found.seconds(each, 5) == pytest.approx(_MODEL.seconds(each, 5))
    for few in (seen[:2], seen[::2], []):
        with pytest.raises(ValueError, match="two sizes"):
            CostModel.fit(few)
