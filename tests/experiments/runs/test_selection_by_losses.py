"""Cohorts that depend on the process' state: Power-of-Choice's and DRFA's."""

from __future__ import annotations

import numpy as np
import pytest
from made_runs import tables

import tff_weights
from experiments.runs import training
from experiments.runs.client_sampling import build_client_sampling
from experiments.runs.configuration import Seeds
from experiments.runs.configure import configure
from leaf_data.client_data import num_examples_per_client
from tff_weights.client_work.drfa import DrfaWork

pytestmark = pytest.mark.usefixtures("built_once")

_GIVEN = {"num_clients": 8, "rounds": 4, "clients_per_round": 3, "steps": 5, "batch_size": 10}
_DRAWN = {"client_sampling": "uniform"}


def _prepare(path, algorithm="power_of_choice", *, resume=False, **given):
    settings = {**_GIVEN, "client_sampling": "proportional", **given}
    return training.prepare(configure(algorithm, "synthetic_1_1", settings), path, resume=resume)


def _train(path, *algorithm, **given):
    prepared = _prepare(path, *algorithm, **given)
    prepared.execute(show_progress=False, for_tensorboard=False, rounds_per_checkpoint=1)
    return tables(path)


def _cohort(prepared, round_number, state):
    data = prepared.select_cohort(round_number, state)
    return [int(next(iter(each["client_index"]))) for each in data]


def test_the_candidates_with_the_largest_losses_take_part(tmp_path):
    """Against softmax regression in NumPy, with the model before and after a round."""
    prepared = _prepare(tmp_path, num_candidates=6)
    train = prepared.task.dataset.train
    draw = build_client_sampling(
        "proportional", num_examples_per_client(train), clients_per_round=6, seed=0
    )
    states = [prepared.process.initialize()]
    states.append(prepared.process.next(states[0], prepared.select_cohort(1, states[0])).state)
    for round_number, state in enumerate(states, 1):
        kernel, bias = map(np.asarray, state.global_model_weights.trainable)
        losses = {}
        for index in draw(round_number):
            examples = train.examples(train.client_ids[index])
            logits = examples["x"] @ kernel + bias
            logits -= logits.max(axis=1, keepdims=True)
            log_shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
            losses[index] = -log_shares[np.arange(len(logits)), examples["y"]].mean()
        expected = sorted(sorted(losses, key=losses.__getitem__)[-3:])
        assert _cohort(prepared, round_number, state) == expected
    assert len(set(losses.values())) == 6


@pytest.mark.parametrize(
    ("algorithm", "given"),
    [
        ("power_of_choice", {"num_candidates": 6}),
        pytest.param("drfa", _DRAWN, marks=pytest.mark.long),
    ],
)
def test_a_resumed_run_selects_the_same_clients(algorithm, given, tmp_path):
    whole = _train(tmp_path / "whole", algorithm, **given)
    _train(tmp_path / "resumed", algorithm, **given, rounds=2)
    assert _train(tmp_path / "resumed", algorithm, **given, resume=True) == whole


def test_drfas_process_draws_by_the_runs_seed(tmp_path):
    given = configure("drfa", "synthetic_1_1", {**_GIVEN, **_DRAWN})
    given = given.with_settings(seeds=Seeds(sampling=7))
    prepared = training.prepare(given, tmp_path)
    state = prepared.process.initialize()
    assert _cohort(prepared, 1, state) == tff_weights.clients_of_round(state)
    work = DrfaWork(8, clients_per_round=3, sampling_seed=7)
    trained = state.client_work.server.own.trained
    np.testing.assert_array_equal(trained, work.initial_state(None, None).trained)
    with pytest.raises(ValueError, match="client_sampling is not used by drfa"):
        _prepare(tmp_path, "drfa")


def test_without_further_candidates_it_is_fed_avg(tmp_path):
    """Of clients drawn in proportion to their examples, with uniform weights."""
    found = _train(tmp_path / "found", num_candidates=3)
    expected = _train(tmp_path / "expected", "fed_avg", weighting="uniform")
    assert {**found, "metrics.csv": expected["metrics.csv"]} == expected


@pytest.mark.parametrize("num_candidates", [2, 9])
def test_too_few_or_too_many_candidates_are_refused(num_candidates, tmp_path):
    with pytest.raises(ValueError, match=f"num_candidates must be from .*got {num_candidates}"):
        _prepare(tmp_path, num_candidates=num_candidates)
