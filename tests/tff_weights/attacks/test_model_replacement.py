"""Tests of `tff_weights.attacks.model_replacement`.

TFF's update is w_t − w_i, so that an attacker of weight p with the target −5 w_t sends 6 w_t / p.
"""

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

from tff_weights import (
    build_client_work,
    build_fed_cav,
    fed_adp_weighting,
    fed_fa_weighting,
    num_examples_weighting,
    with_model_replacement,
)

_EVERYONE = range(len(CLIENTS))
_ATTACK = {"attack_round": 2, "attacker_index": 1, "target_scale": -5.0}
_REPORT = ("client_index", "num_examples", "loss_before", "accuracy_after")


@pytest.fixture(scope="module")
def honest():
    return build_client_work(functional_model(), LOCAL_TRAINING, report_fields=_REPORT)


def _attacking(honest, weighting=None, **attack):
    weighting = weighting or num_examples_weighting()
    return with_model_replacement(honest, weighting=weighting, **{**_ATTACK, **attack})


def _work(process, *cohorts):
    """The results of each round, all from the initial model."""
    state, results = process.initialize(), []
    for cohort in cohorts:
        clients = [
            client_data(each, CLIENTS[each]) if isinstance(each, int) else each for each in cohort
        ]
        output = process.next(state, [model_weights()] * len(clients), clients)
        state = output.state
        results.append(output.result)
    return results


def _check_attack(result, weight, rtol=1e-5):
    """The target is −5 w_t, and TFF's update is w_t − w_i."""
    np.testing.assert_allclose(to_vector(result.update), 6 / weight * initial_vector(), rtol=rtol)


def test_only_the_attacker_attacks_and_only_in_its_round(honest):
    """In round 2, the third; its loss is the one that it is given.

    The cohort has 7, 40 and 25 examples: the attacker, who has 40 of 72, sends 6 · 72/40 w_t.
    """
    attacking = _attacking(honest, false_report={"loss_before": 1e10})
    rounds = zip(*(_work(process, *[[0, 1, 2]] * 4) for process in (attacking, honest)))
    for round_number, (results, expected) in enumerate(rounds):
        for index, result in enumerate(results):
            update = to_vector(expected[index].update)
            report = dict(expected[index].update_weight)
            if (round_number, index) == (2, 1):
                update = 6 * 72 / 40 * initial_vector()
                report["loss_before"] = np.float32(1e10)
            np.testing.assert_allclose(to_vector(result.update), update, rtol=1e-5, atol=1e-6)
            assert dict(result.update_weight) == report


@pytest.fixture(scope="module")
def at_once(honest):
    """Attacks in round 0."""
    return _attacking(honest, attack_round=0)


def test_the_attacker_is_known_by_its_index_not_by_its_place(honest, at_once):
    """Its report is honest unless it is given another; without it in the cohort nothing changes."""
    ((_, attack, _),), ((_, before, _),) = (_work(each, [2, 1, 0]) for each in (at_once, honest))
    _check_attack(attack, 40 / 72)
    assert dict(attack.update_weight) == dict(before.update_weight)
    (without,), (expected,) = (_work(process, [0, 2]) for process in (at_once, honest))
    for result, of_honest in zip(without, expected):
        np.testing.assert_array_equal(to_vector(result.update), to_vector(of_honest.update))


def test_a_history_is_rehearsed_as_well(honest):
    """FedFa with β = 1 in the third round of clients 0, 1, 2 after two rounds of 1 and 2 alone.

    They have taken part in 1, 3 and 3 rounds of 7: −log₂(1 − 1/7) = 0.2224 and twice
    −log₂(1 − 3/7) = 0.8074, so that the attacker's weight is 0.8074 / 1.8372 = 0.4395. Without a
    history it would be 1/3.
    """
    weighting = fed_fa_weighting(num_clients=len(CLIENTS), alpha=0.0, beta=1.0)
    results = _work(_attacking(honest, weighting), [1, 2], [1, 2], [0, 1, 2])
    _check_attack(results[2][1], 0.43946, rtol=1e-4)


def test_a_client_that_the_server_leaves_out_has_no_part_in_the_weight(at_once):
    """Client 2's examples are not finite: of 7 and 40 examples the attacker has 40 of 47."""
    broken = CLIENTS[2]._replace(x=np.full_like(CLIENTS[2].x, np.nan))
    _check_attack(_work(at_once, [0, 1, client_data(2, broken)])[0][1], 40 / 47)


def test_five_rounds_of_fed_cav_under_attack():
    for audit in (False, True):
        attacked = functools.partial(algorithms.fed_cav, audit=audit, attack=_ATTACK)
        expected = simulate_rounds(attacked, cohorts=[_EVERYONE] * 5)
        trajectory, _ = _five_rounds_under_attack(audit)
        np.testing.assert_allclose(trajectory, expected, rtol=1e-4, atol=1e-4)


@functools.cache
def _five_rounds_under_attack(audit, loss_before=None):
    """FedCav's models and metrics; the attacker may claim a loss."""
    lie = {} if loss_before is None else {"false_report": {"loss_before": loss_before}}
    process = build_fed_cav(
        functional_model(),
        local_training=LOCAL_TRAINING,
        audit=audit,
        wrap_client_work=functools.partial(with_model_replacement, **_ATTACK, **lie),
    )
    return run_rounds(process, [_EVERYONE] * 5)[:2]


def test_a_false_loss_disarms_the_audit():
    """In round 3 the largest loss is the attacker's 1e10, and no loss of round 4 is larger."""
    for lie, expected in (((), [0, 1, 0]), ((1e10,), [0, 0, 0])):
        _, metrics = _five_rounds_under_attack(True, *lie)
        alarms = [int(each["aggregator"]["cohort"]["weighting"]["alarm"]) for each in metrics]
        assert alarms[2:] == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"attack_round": -1}, "attack_round .*-1"),
        ({"attacker_index": -1}, "attacker_index .*-1"),
        ({"target_scale": float("inf")}, "target_scale .*inf"),
        ({"false_report": {"colour": 1.0}}, "false_report has 'colour', the clients report"),
        ({"false_report": {"loss_before": float("nan")}}, r"false_report\['loss_before'\] .*nan"),
        # The attack would change what this one measures.
        ({"weighting": fed_adp_weighting(smoothing="none")}, "measures .*angle_to_mean"),
    ],
)
def test_bad_arguments_are_refused(honest, given, message):
    with pytest.raises(ValueError, match=message):
        _attacking(honest, **given)
