from __future__ import annotations

import numpy as np
import pytest

from experiments.runs.client_sampling import build_client_sampling, build_turns

_NUM_EXAMPLES = np.array([10, 20, 30, 40, 0, 100])


@pytest.mark.parametrize("sampling", ["uniform", "proportional"])
def test_a_cohort_depends_on_seed_and_round_alone(sampling):
    def build(seed):
        return build_client_sampling(sampling, _NUM_EXAMPLES, clients_per_round=3, seed=seed)

    forwards = [build(7)(round_number) for round_number in range(1, 40)]
    again = build(7)
    backwards = [again(round_number) for round_number in range(39, 0, -1)]
    assert forwards == backwards[::-1]
    assert forwards != [build(8)(round_number) for round_number in range(1, 40)]
    assert len({tuple(cohort) for cohort in forwards}) > 3


@pytest.mark.parametrize("sampling", ["uniform", "proportional"])
def test_a_cohort_is_sorted_and_has_nobody_twice(sampling):
    sample = build_client_sampling(sampling, _NUM_EXAMPLES, clients_per_round=5, seed=0)
    for round_number in range(1, 30):
        cohort = sample(round_number)
        assert cohort == sorted(set(cohort))
        assert len(cohort) == 5
        assert all(isinstance(index, int) for index in cohort)


def _frequencies(sampling: str, clients_per_round: int, rounds: int) -> np.ndarray:
    sample = build_client_sampling(
        sampling, _NUM_EXAMPLES, clients_per_round=clients_per_round, seed=1
    )
    chosen = np.concatenate([sample(round_number) for round_number in range(1, rounds + 1)])
    return np.bincount(chosen, minlength=len(_NUM_EXAMPLES)) / rounds


def test_a_proportional_draw_of_one_follows_the_numbers_of_examples():
    # 5 standard deviations of a share p over 4,000 draws are at most 5 · sqrt(0.25 / 4000) = 0.04.
    expected = _NUM_EXAMPLES / _NUM_EXAMPLES.sum()
    np.testing.assert_allclose(_frequencies("proportional", 1, 4000), expected, atol=0.04)


def test_a_uniform_draw_takes_everybody_alike():
    np.testing.assert_allclose(_frequencies("uniform", 3, 4000), 0.5, atol=0.04)


def test_a_proportional_draw_never_takes_a_client_without_examples():
    assert _frequencies("proportional", 5, 50)[4] == 0


@pytest.mark.parametrize(("sampling", "most"), [("uniform", 6), ("proportional", 5)])
def test_too_large_a_cohort_is_refused(sampling, most):
    with pytest.raises(ValueError, match=f"clients_per_round must be at most .* {most}, got 7"):
        build_client_sampling(sampling, _NUM_EXAMPLES, clients_per_round=7, seed=0)


def _all_turns(num_clients, clients_per_round, rounds):
    cohort = build_turns(
        num_clients=num_clients, clients_per_round=clients_per_round, rounds=rounds
    )
    return [cohort(round_number) for round_number in range(1, rounds + 1)]


def test_turns_by_hand():
    """3 rounds of 2 of 4 clients: 1.5 turns each, rounded up to 2, and so 8 in 3 rounds."""
    assert _all_turns(4, 2, 3) == [[0, 1], [0, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize(
    ("num_clients", "clients_per_round", "rounds", "turns"),
    [(30, 10, 100, 34), (30, 10, 3, 1), (1000, 10, 2, 1), (3, 1, 4, 2), (5, 5, 7, 7), (1, 1, 9, 9)],
)
def test_every_client_has_its_expected_share_rounded_up(
    num_clients, clients_per_round, rounds, turns
):
    cohorts = _all_turns(num_clients, clients_per_round, rounds)
    counts = np.bincount(np.concatenate(cohorts).astype(int), minlength=num_clients)
    assert counts.tolist() == [turns] * num_clients
    sizes = {len(cohort) for cohort in cohorts}
    assert min(sizes) >= 1 and max(sizes) - min(sizes) <= 1
    for cohort in cohorts:
        assert cohort == sorted(set(cohort))


def test_more_turns_at_once_than_clients_are_refused():
    with pytest.raises(ValueError, match="clients_per_round must be at most .* 4, got 5"):
        build_turns(num_clients=4, clients_per_round=5, rounds=1)
