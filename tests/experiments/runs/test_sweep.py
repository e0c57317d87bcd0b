from __future__ import annotations

import json

import pytest

from experiments.runs import sweep as sweep_module
from experiments.runs.configuration import Seeds
from experiments.runs.configure import configure
from experiments.runs.step_budget import read_step_budget
from experiments.runs.sweep import SweepOptions, run_directory, sweep, sweep_in_order


def _configuration(algorithm="fed_avg", rounds=1, **given):
    settings = {"rounds": rounds, "epochs": 1, **given}
    return configure(algorithm, "synthetic_1_1", settings)


def _forbid_training(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("trained again")

    monkeypatch.setattr(sweep_module.training, "prepare", fail)


def test_a_configuration_has_a_directory_of_its_own(tmp_path):
    configurations = [
        _configuration(),
        _configuration("fed_fa"),
        _configuration(rounds=2),
        _configuration(seeds=Seeds(model=1)),
    ]
    paths = [run_directory(tmp_path, configuration).path for configuration in configurations]
    assert len(set(paths)) == len(paths)
    assert paths[0] == run_directory(tmp_path, _configuration()).path
    assert paths[0].parent == tmp_path / "synthetic_1_1"
    assert paths[0].name.startswith("fed_avg-")


def test_data_sets_are_kept_where_they_are_prepared(tmp_path):
    options = SweepOptions(runs_dir=tmp_path / "runs", prepared_dir=str(tmp_path / "prepared"))
    (outcome,) = sweep([_configuration(steps=1, epochs=None)], options)
    assert outcome.error is None
    assert len(list(tmp_path.glob("prepared/synthetic_1_1-*/train.sqlite"))) == 1


def test_runs_are_trained_once_and_a_failure_leaves_the_others_alone(tmp_path, monkeypatch):
    options = SweepOptions(runs_dir=tmp_path)
    good, other, bad = _configuration(), _configuration("fed_fa"), _configuration(rounds=2)
    foreign = run_directory(tmp_path, bad).path / "thesis.tex"
    foreign.parent.mkdir(parents=True)
    foreign.touch()

    outcomes = sweep([good, bad, other, good], options)

    assert [outcome.configuration for outcome in outcomes] == [good, bad, other, good]
    assert outcomes[1].result is None
    assert outcomes[1].error.startswith("RunDirectoryError: ")
    assert list(foreign.parent.iterdir()) == [foreign]
    for outcome in (outcomes[0], outcomes[2]):
        assert outcome.error is None
        assert outcome.result == json.loads(outcome.directory.result.read_text())
    assert outcomes[3] == outcomes[0]

    _forbid_training(monkeypatch)
    again = sweep([other, good], options)
    assert [outcome.result for outcome in again] == [outcomes[2].result, outcomes[0].result]


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_to_do_starts_nothing(tmp_path, monkeypatch, workers):
    _forbid_training(monkeypatch)
    assert sweep([], SweepOptions(runs_dir=tmp_path, workers=workers)) == []


def test_a_run_takes_the_steps_of_the_one_that_ran_before_it(tmp_path):
    """FedAvg's and centralized SGD's steps are FedVeca's; that of a failed run is nobody's."""
    given = {"rounds": 2, "num_clients": 3, "clients_per_round": 3, "train_fraction": 0.5}
    leader, other, follower, central = (
        configure(algorithm, "synthetic_1_1", given)
        for algorithm in ("fed_veca", "fed_fa", "fed_avg", "centralized_sgd")
    )
    bad = configure("fed_veca", "synthetic_1_1", {**given, "batch_size": 5})
    options = SweepOptions(runs_dir=tmp_path)
    foreign = run_directory(tmp_path, bad).path / "thesis.tex"
    foreign.parent.mkdir(parents=True)
    foreign.touch()

    outcomes = sweep_in_order(
        [follower, leader, other, central, follower],
        options,
        step_budgets_of=[leader, None, None, leader, bad],
    )

    budget = read_step_budget(run_directory(tmp_path, leader).path)
    assert [outcome.error for outcome in outcomes[:4]] == [None] * 4
    assert outcomes[0].configuration == budget.apply(follower)
    assert (outcomes[1].configuration, outcomes[2].configuration) == (leader, other)
    assert outcomes[3].configuration.steps == round(budget.num_steps / 2)
    assert outcomes[4].result is None
    assert outcomes[4].error.startswith("the run whose step budget it takes failed: RunDirectoryE")
