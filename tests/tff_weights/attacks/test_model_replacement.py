"""Tests of `tff_weights.attacks.model_replacement`."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from reference import algorithms
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds, simulate_rounds
from reference.problem import (
    client_data,
    functional_model,
    initial_vector,
    model_weights,
    to_vector,
)
from reference.simulation import Participant

from tff_weights import build_client_work, build_fed_avg, build_fed_cav, with_model_replacement

_EVERYONE = range(len(CLIENTS))
_ATTACK = {"attack_round": 2, "attacker_index": 1, "boost": 6.0, "target_scale": -5.0}
_REPORT = ("client_index", "loss_before")


@pytest.fixture(scope="module")
def honest():
    return build_client_work(functional_model(), LOCAL_TRAINING, report_fields=_REPORT)


def _work(process, rounds, indices=(0, 1, 2)):
    """The results of the last of some rounds, all from the initial model."""
    state = process.initialize()
    for _ in range(rounds):
        output = process.next(
            state,
            [model_weights()] * len(indices),
            [client_data(index, CLIENTS[index]) for index in indices],
        )
        state = output.state
    return output.result


def test_only_the_attacker_attacks_and_only_in_its_round(honest):
    """In round 2, the third, it sends TFF's w_t − w_i = 6 · (1 + 5) w_t and an honest report."""
    attacking = with_model_replacement(honest, **_ATTACK)
    for rounds in (1, 2, 3, 4):
        expected = _work(honest, rounds)
        for index, result in enumerate(_work(attacking, rounds)):
            update = to_vector(expected[index].update)
            if (rounds, index) == (3, 1):
                update = 36 * initial_vector()
            np.testing.assert_allclose(to_vector(result.update), update, rtol=1e-5, atol=1e-6)
            assert dict(result.update_weight) == dict(expected[index].update_weight)


def test_the_attacker_is_known_by_its_index_not_by_its_place(honest):
    attacking = with_model_replacement(honest, **{**_ATTACK, "attack_round": 0})
    results = _work(attacking, 1, indices=(2, 1, 0))
    np.testing.assert_allclose(to_vector(results[1].update), 36 * initial_vector(), rtol=1e-5)


def test_a_lone_attacker_replaces_the_model():
    """Its weight is 1, so that a boost of 1 makes w_{t+1} = −5 w_t."""
    attack = functools.partial(
        with_model_replacement, attack_round=0, attacker_index=3, boost=1.0, target_scale=-5.0
    )
    process = build_fed_avg(
        functional_model(), local_training=LOCAL_TRAINING, wrap_client_work=attack
    )
    (weights,), _, _ = run_rounds(process, [[3]])
    np.testing.assert_allclose(weights, -5 * initial_vector(), rtol=1e-5)


@pytest.mark.parametrize("audit", [False, True])
def test_five_rounds_of_fed_cav_under_attack(audit):
    expected = simulate_rounds(
        functools.partial(algorithms.fed_cav, audit=audit, attack=_ATTACK), cohorts=[_EVERYONE] * 5
    )
    trajectory, metrics, _ = run_rounds(_fed_cav(audit), [_EVERYONE] * 5)
    np.testing.assert_allclose(trajectory, expected, rtol=1e-4, atol=1e-4)
    if audit:
        alarms = [of_round["aggregator"]["cohort"]["weighting"]["alarm"] for of_round in metrics]
        assert alarms[2:] == [0, 1, 0]


def test_with_an_audit_fed_cav_recovers_within_two_rounds():
    """The attack in round 2 is seen in round 3, which restores what round 1 made of the model."""
    audited, _, _ = run_rounds(_fed_cav(True), [_EVERYONE] * 5)
    unaudited, _, _ = run_rounds(_fed_cav(False), [_EVERYONE] * 5)
    assert _loss(audited[2]) > 2 * _loss(audited[1])
    np.testing.assert_allclose(audited[3], audited[1], atol=1e-6)
    assert _loss(audited[4]) < 1.05 * _loss(audited[1])
    assert _loss(unaudited[4]) > 1.5 * _loss(audited[4])


def _fed_cav(audit):
    return build_fed_cav(
        functional_model(),
        local_training=LOCAL_TRAINING,
        audit=audit,
        wrap_client_work=functools.partial(with_model_replacement, **_ATTACK),
    )


def _loss(weights):
    return np.mean([Participant(i, CLIENTS[i], 0, LOCAL_TRAINING).loss(weights) for i in _EVERYONE])


@pytest.mark.parametrize("name", ["attack_round", "attacker_index"])
def test_negative_numbers_are_refused(honest, name):
    with pytest.raises(ValueError, match=f"{name} .*-1"):
        with_model_replacement(honest, **{**_ATTACK, name: -1})
