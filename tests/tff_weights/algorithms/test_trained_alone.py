"""Tests of `tff_weights.algorithms.trained_alone`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, cohort_data, simulate_rounds
from reference.problem import client_data, functional_model, initial_vector, to_vector
from reference.simulation import Participant

from tff_weights import OwnModels, build_fed_avg, build_trained_alone, prune_control_variates

_NUM_CLIENTS = len(CLIENTS)
_COMPILED = dataclasses.replace(LOCAL_TRAINING, compile_with_xla=True)


def _build(directory, *, local_training=LOCAL_TRAINING, num_clients=_NUM_CLIENTS):
    return build_trained_alone(
        functional_model(),
        local_training=local_training,
        num_clients=num_clients,
        variates_dir=directory,
    )


def _run(process, cohorts, state=None):
    state = process.initialize() if state is None else state
    for cohort in cohorts:
        state = process.next(state, cohort_data(cohort)).state
    return state


def _own(directory, state):
    models = OwnModels(functional_model(), directory)
    return [to_vector(models.weights(state, index).trainable) for index in range(_NUM_CLIENTS)]


@pytest.mark.parametrize("local_training", [LOCAL_TRAINING, _COMPILED], ids=["plain", "compiled"])
def test_each_client_goes_on_from_its_own_model(tmp_path, local_training):
    """NumPy trains each client by itself, in the rounds in which it is in the cohort."""
    state = _run(_build(tmp_path, local_training=local_training), COHORTS)
    expected = [initial_vector() for _ in CLIENTS]
    for round_number, cohort in enumerate(COHORTS):
        for index in cohort:
            participant = Participant(index, CLIENTS[index], round_number, local_training)
            expected[index] = participant.train(expected[index]).weights
    np.testing.assert_allclose(_own(tmp_path, state), expected, atol=1e-4)


def test_a_federation_of_one_client_is_that_client_alone(tmp_path):
    fed_avg = build_fed_avg(functional_model(), local_training=LOCAL_TRAINING)
    state = _run(fed_avg, [[3], [3], [3]])
    alone = _run(_build(tmp_path), [[3, 0], [3], [1, 3]])
    np.testing.assert_allclose(
        _own(tmp_path, alone)[3],
        to_vector(fed_avg.get_model_weights(state).trainable),
        atol=1e-6,
    )


def test_nothing_is_shared(tmp_path):
    """Who else is in the cohort changes no client's model."""
    some = _own(tmp_path / "some", _run(_build(tmp_path / "some"), [[2], [2, 4]]))
    more = _own(tmp_path / "more", _run(_build(tmp_path / "more"), [[0, 1, 2], [2, 3, 4]]))
    np.testing.assert_array_equal(some[2], more[2])
    np.testing.assert_array_equal(some[4], more[4])


def test_a_client_that_never_trained_has_the_initial_weights(tmp_path):
    process = _build(tmp_path)
    state = _run(process, [[1]])
    np.testing.assert_allclose(_own(tmp_path, state)[0], initial_vector(), atol=1e-7)
    np.testing.assert_array_equal(
        OwnModels(functional_model(), tmp_path).last_rounds(state), [-1, 0, -1, -1, -1, -1]
    )
    weights = to_vector(process.get_model_weights(state).trainable)
    np.testing.assert_allclose(weights, initial_vector(), atol=1e-7)


def test_a_run_that_is_resumed_goes_on_as_if_it_had_not_stopped(tmp_path):
    """It was killed after later rounds, whose models lie there and must not be seen."""
    expected = _own(tmp_path / "whole", _run(_build(tmp_path / "whole"), COHORTS))
    process = _build(tmp_path / "resumed")
    saved = _run(process, COHORTS[:2])
    _run(process, [[0, 1, 2, 3, 4, 5], [5, 4]], saved)
    prune_control_variates(tmp_path / "resumed", oldest_round=2)
    resumed = _run(process, COHORTS[2:], saved)
    np.testing.assert_array_equal(_own(tmp_path / "resumed", resumed), expected)


def test_a_round_reports_who_trained_and_how_much(tmp_path):
    """Clients 0 and 4 have 7 and 90 examples: 1 and 9 batches of 10 in each of 2 epochs."""
    process = _build(tmp_path)
    output = process.next(process.initialize(), cohort_data([0, 4]))
    reports = output.metrics["aggregator"]["cohort"]["reports"]
    np.testing.assert_array_equal(reports["client_index"], [0, 4])
    np.testing.assert_array_equal(reports["num_examples"], [7, 90])
    np.testing.assert_array_equal(reports["num_steps"], [2, 18])


@pytest.mark.parametrize("index", [-1, _NUM_CLIENTS])
def test_an_unknown_client_trains_in_vain(tmp_path, index):
    process = _build(tmp_path)
    output = process.next(process.initialize(), [client_data(index, CLIENTS[1])])
    assert list(tmp_path.iterdir()) == []
    assert output.metrics["aggregator"]["cohort"]["num_left_out"] == 1


@pytest.mark.parametrize("local_training", [LOCAL_TRAINING, _COMPILED], ids=["plain", "compiled"])
def test_a_client_whose_model_is_no_number_goes_on_from_its_last_one(tmp_path, local_training):
    process = _build(tmp_path, local_training=local_training)
    state = _run(process, [[1, 2]])
    before = _own(tmp_path, state)
    spoilt = CLIENTS[1]._replace(x=np.full_like(CLIENTS[1].x, np.nan))
    output = process.next(state, [client_data(1, spoilt), *cohort_data([2])])
    cohort = output.metrics["aggregator"]["cohort"]
    assert cohort["num_left_out"] == 1
    np.testing.assert_array_equal(cohort["reports"]["client_index"], [2])
    after = _own(tmp_path, output.state)
    np.testing.assert_array_equal(after[1], before[1])
    assert not np.array_equal(after[2], before[2])


def test_a_number_of_clients_is_needed(tmp_path):
    with pytest.raises(ValueError, match="num_clients must be an integer >= 1, .*got 0"):
        _build(tmp_path, num_clients=0)


def test_the_reference_is_not_federated_averaging(tmp_path):
    """With more than one client in a cohort the two differ, so that the tests above can fail."""
    from reference import algorithms

    shared = simulate_rounds(algorithms.fed_avg)
    own = _own(tmp_path, _run(_build(tmp_path), COHORTS))
    assert np.abs(own - shared[-1]).max() > 1e-2
