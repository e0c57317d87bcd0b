from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.runs.client_sampling import build_client_sampling, build_turns

_NUM_EXAMPLES = np.array([10, 20, 30, 40, 0, 100])


def _cohorts(sampling, clients_per_round, rounds, seed=1):
    sample = build_client_sampling(
        sampling, _NUM_EXAMPLES, clients_per_round=clients_per_round, seed=seed
    )
    return {number: sample(number) for number in rounds}


@pytest.mark.parametrize("sampling", ["uniform", "proportional"])
def test_a_cohort_depends_on_seed_and_round_alone_and_has_nobody_twice(sampling):
    forwards = _cohorts(sampling, 3, range(1, 40))
    assert forwards == _cohorts(sampling, 3, range(39, 0, -1))
    assert forwards != _cohorts(sampling, 3, range(1, 40), seed=2)
    assert len({tuple(cohort) for cohort in forwards.values()}) > 3
    for cohort in forwards.values():
        assert cohort == sorted(set(cohort)) and len(cohort) == 3
        assert all(isinstance(index, int) for index in cohort)


@pytest.mark.parametrize(
    ("sampling", "clients_per_round", "shares"),
    [("proportional", 1, _NUM_EXAMPLES / 200), ("uniform", 3, 0.5)],
)
def test_clients_are_drawn_as_often_as_their_shares_say(sampling, clients_per_round, shares):
    """5 standard deviations of a share p over 4,000 draws are at most 5 √(0.25 / 4000) = 0.04."""
    drawn = np.concatenate([*_cohorts(sampling, clients_per_round, range(1, 4001)).values()])
    found = np.bincount(drawn, minlength=len(_NUM_EXAMPLES)) / 4000
    np.testing.assert_allclose(found, shares, atol=0.04)


@pytest.mark.parametrize(("sampling", "most"), [("uniform", 6), ("proportional", 5)])
def test_too_large_a_cohort_is_refused(sampling, most):
    """In proportion a client without examples is never drawn."""
    assert any(4 in each for each in _cohorts(sampling, most, range(1, 9)).values()) == (most == 6)
    with pytest.raises(ValueError, match=f"clients_per_round must be at most .* {most}, got 7"):
        _cohorts(sampling, 7, ())
    with pytest.raises(ValueError, match="clients_per_round must be at most .* 4, got 5"):
        build_turns(num_clients=4, clients_per_round=5, rounds=1)


def _all_turns(num_clients, clients_per_round, rounds):
    cohort = build_turns(
        num_clients=num_clients, clients_per_round=clients_per_round, rounds=rounds
    )
    return [cohort(round_number) for round_number in range(1, rounds + 1)]


def test_turns_by_hand():
    """3 rounds of 2 of 4 clients: 1.5 turns each, rounded up to 2, and so 8 in 3 rounds."""
    assert _all_turns(4, 2, 3) == [[0, 1], [0, 2, 3], [1, 2, 3]]


@given(st.data(), st.integers(1, 200), st.integers(1, 30))
def test_every_client_has_its_expected_share_rounded_up(data, num_clients, rounds):
    clients_per_round = data.draw(st.integers(1, num_clients))
    cohorts = _all_turns(num_clients, clients_per_round, rounds)
    counts = np.bincount(np.concatenate(cohorts).astype(int), minlength=num_clients)
    assert set(counts) == {math.ceil(rounds * clients_per_round / num_clients)}
    sizes = {len(cohort) for cohort in cohorts}
    assert min(sizes) >= 1 and max(sizes) - min(sizes) <= 1
    assert all(cohort == sorted(set(cohort)) for cohort in cohorts)
