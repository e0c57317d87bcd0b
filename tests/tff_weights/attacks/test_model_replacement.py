"""Tests of `tff_weights.attacks.model_replacement`.

TFF's update is w_t − w_i, so that an attacker of weight p with the target −5 w_t sends 6 w_t / p.
"""

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

from tff_weights import (
    build_client_work,
    build_fed_avg,
    build_fed_cav,
    fed_adp_weighting,
    fed_cav_weighting,
    fed_fa_weighting,
    num_examples_weighting,
    with_model_replacement,
)

_EVERYONE = range(len(CLIENTS))
_ATTACK = {"attack_round": 2, "attacker_index": 1, "target_scale": -5.0}
_REPORT = ("client_index", "num_examples", "loss_before", "accuracy_after")
_BUILDERS = {
    "fed_avg": build_fed_avg,
    "fed_avg uniform": functools.partial(build_fed_avg, weighting="uniform"),
    "fed_cav": build_fed_cav,
    "fed_cav with audit": functools.partial(build_fed_cav, audit=True),
}


@pytest.fixture(scope="module")
def honest():
    return build_client_work(functional_model(), LOCAL_TRAINING, report_fields=_REPORT)


def _attacking(honest, weighting=None, **attack):
    weighting = weighting or num_examples_weighting()
    return with_model_replacement(honest, weighting=weighting, **{**_ATTACK, **attack})


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
    """In round 2, the third, and with an honest report.

    The cohort has 7, 40 and 25 examples: the attacker, who has 40 of 72, sends 6 · 72/40 w_t.
    """
    attacking = _attacking(honest)
    for rounds in (1, 2, 3, 4):
        expected = _work(honest, rounds)
        for index, result in enumerate(_work(attacking, rounds)):
            update = to_vector(expected[index].update)
            if (rounds, index) == (3, 1):
                update = 6 * 72 / 40 * initial_vector()
            np.testing.assert_allclose(to_vector(result.update), update, rtol=1e-5, atol=1e-6)
            assert dict(result.update_weight) == dict(expected[index].update_weight)


def test_the_attacker_is_known_by_its_index_not_by_its_place(honest):
    results = _work(_attacking(honest, attack_round=0), 1, indices=(2, 1, 0))
    update = 6 * 72 / 40 * initial_vector()
    np.testing.assert_allclose(to_vector(results[1].update), update, rtol=1e-5)


def test_an_attacker_that_is_not_in_the_cohort_changes_nothing(honest):
    expected = _work(honest, 1, indices=(0, 2))
    results = _work(_attacking(honest, attack_round=0), 1, indices=(0, 2))
    for result, of_honest in zip(results, expected):
        np.testing.assert_array_equal(to_vector(result.update), to_vector(of_honest.update))


def test_a_history_is_rehearsed_as_well(honest):
    """FedFa with β = 1 in the third round of clients 0, 1, 2 after two rounds of 1 and 2 alone.

    They have taken part in 1, 3 and 3 rounds of 7: −log₂(1 − 1/7) = 0.2224 and twice
    −log₂(1 − 3/7) = 0.8074, so that the attacker's weight is 0.8074 / 1.8372 = 0.4395. Without a
    history it would be 1/3.
    """
    weighting = fed_fa_weighting(num_clients=len(CLIENTS), alpha=0.0, beta=1.0)
    process = _attacking(honest, weighting)
    state = process.initialize()
    for indices in ((1, 2), (1, 2), (0, 1, 2)):
        data = [client_data(index, CLIENTS[index]) for index in indices]
        output = process.next(state, [model_weights()] * len(indices), data)
        state = output.state
    update = 6 / 0.43946 * initial_vector()
    np.testing.assert_allclose(to_vector(output.result[1].update), update, rtol=1e-4)


def test_a_client_that_the_server_leaves_out_has_no_part_in_the_weight(honest):
    """Client 2's examples are not finite: of 7 and 40 examples the attacker has 40 of 47."""
    broken = CLIENTS[2]._replace(x=np.full_like(CLIENTS[2].x, np.nan))
    process = _attacking(honest, attack_round=0)
    output = process.next(
        process.initialize(),
        [model_weights()] * 3,
        [client_data(0, CLIENTS[0]), client_data(1, CLIENTS[1]), client_data(2, broken)],
    )
    update = 6 * 47 / 40 * initial_vector()
    np.testing.assert_allclose(to_vector(output.result[1].update), update, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "attacker_index"),
    [
        pytest.param(name, index, marks=() if (name, index) == ("fed_cav", 4) else pytest.mark.long)
        for name in _BUILDERS
        for index in (0, 1, 4)
    ],
)
def test_the_model_becomes_the_target_up_to_the_others_updates(name, attacker_index):
    """w_{t+1} = −5 w_t + Σ_{i ≠ attacker} weight_i Δ_i, whatever the attacker's own weight.

    The others' part is the honest round's without the attacker's.
    """
    build, cohorts = _BUILDERS[name], [_EVERYONE] * 2
    attack = functools.partial(
        with_model_replacement, attack_round=1, attacker_index=attacker_index, target_scale=-5.0
    )
    arguments = {"local_training": LOCAL_TRAINING}
    attacked, _, _ = run_rounds(
        build(functional_model(), wrap_client_work=attack, **arguments), cohorts
    )
    honest, metrics, _ = run_rounds(build(functional_model(), **arguments), cohorts)
    np.testing.assert_allclose(attacked[0], honest[0], rtol=1e-5, atol=1e-7)
    cohort = metrics[1]["aggregator"]["cohort"]
    place = list(cohort["reports"]["client_index"]).index(attacker_index)
    weight = cohort["weights"][place]
    attacker = Participant(attacker_index, CLIENTS[attacker_index], 1, LOCAL_TRAINING)
    own_part = weight * (attacker.train(honest[0]).weights - honest[0])
    expected = -5 * honest[0] + (honest[1] - honest[0]) - own_part
    np.testing.assert_allclose(attacked[1], expected, rtol=1e-4, atol=1e-5)


def test_a_lone_attacker_replaces_the_model():
    """w_{t+1} = −5 w_t."""
    attack = functools.partial(
        with_model_replacement, attack_round=0, attacker_index=3, target_scale=-5.0
    )
    process = build_fed_avg(
        functional_model(), local_training=LOCAL_TRAINING, wrap_client_work=attack
    )
    (weights,), _, _ = run_rounds(process, [[3]])
    np.testing.assert_allclose(weights, -5 * initial_vector(), rtol=1e-5)


@pytest.mark.parametrize("audit", [False, pytest.param(True, marks=pytest.mark.long)])
def test_five_rounds_of_fed_cav_under_attack(audit):
    expected = simulate_rounds(
        functools.partial(algorithms.fed_cav, audit=audit, attack=_ATTACK), cohorts=[_EVERYONE] * 5
    )
    trajectory, metrics = _five_rounds_under_attack(audit)
    np.testing.assert_allclose(trajectory, expected, rtol=1e-4, atol=1e-4)
    if audit:
        alarms = [of_round["aggregator"]["cohort"]["weighting"]["alarm"] for of_round in metrics]
        assert alarms[2:] == [0, 1, 0]


def test_with_an_audit_fed_cav_recovers_within_two_rounds():
    """The attack in round 2 is seen in round 3, which restores what round 1 made of the model."""
    audited, _ = _five_rounds_under_attack(True)
    unaudited, _ = _five_rounds_under_attack(False)
    assert _loss(audited[2]) > 2 * _loss(audited[1])
    np.testing.assert_allclose(audited[3], audited[1], atol=1e-6)
    assert _loss(audited[4]) < 1.05 * _loss(audited[1])
    assert _loss(unaudited[4]) > 1.5 * _loss(audited[4])


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


def _loss(weights):
    return np.mean([Participant(i, CLIENTS[i], 0, LOCAL_TRAINING).loss(weights) for i in _EVERYONE])


@pytest.mark.parametrize("name", ["attack_round", "attacker_index"])
def test_negative_numbers_are_refused(honest, name):
    with pytest.raises(ValueError, match=f"{name} .*-1"):
        _attacking(honest, **{name: -1})


def test_weights_that_the_attack_itself_would_change_are_refused(honest):
    with pytest.raises(ValueError, match="'fed_adp' measures .*angle_to_mean"):
        _attacking(honest, fed_adp_weighting(smoothing="none"))
    _attacking(honest, fed_cav_weighting())


def test_a_false_report_is_sent_in_the_round_of_the_attack_alone(honest):
    attacking = _attacking(honest, false_report={"loss_before": 1e10})
    for rounds in (2, 3, 4):
        expected = _work(honest, rounds)
        for index, result in enumerate(_work(attacking, rounds)):
            report = dict(expected[index].update_weight)
            if (rounds, index) == (3, 1):
                report["loss_before"] = np.float32(1e10)
            assert dict(result.update_weight) == report


def test_a_false_report_is_part_of_the_rehearsal(honest):
    """Of the three clients with 7, 40 and 25 examples the attacker claims 968: 968 of 1,000."""
    attacking = _attacking(honest, attack_round=0, false_report={"num_examples": 968.0})
    update = 6 * 1000 / 968 * initial_vector()
    np.testing.assert_allclose(to_vector(_work(attacking, 1)[1].update), update, rtol=1e-5)


def test_a_false_loss_disarms_the_audit():
    """In round 3 the largest loss is the attacker's 1e10, and no loss of round 4 is larger."""
    _, told = _five_rounds_under_attack(True)
    _, lied = _five_rounds_under_attack(True, loss_before=1e10)

    def alarms(metrics):
        return [int(one["aggregator"]["cohort"]["weighting"]["alarm"]) for one in metrics]

    assert alarms(told)[2:] == [0, 1, 0]
    assert alarms(lied)[2:] == [0, 0, 0]


@pytest.mark.parametrize(
    ("false_report", "message"),
    [
        ({"colour": 1.0}, "false_report has 'colour', the clients report"),
        ({"loss_before": float("nan")}, r"false_report\['loss_before'\] must be a finite number"),
    ],
)
def test_bad_false_reports_are_refused(honest, false_report, message):
    with pytest.raises(ValueError, match=message):
        _attacking(honest, false_report=false_report)
