from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from experiments.runs.configuration import Seeds
from experiments.runs.configure import configure
from experiments.runs.step_budget import StepBudget, read_step_budget
from experiments.runs.training import prepare
from leaf_data.client_data import num_examples_per_client
from leaf_data.tasks import load_task

_GIVEN = {"rounds": 4, "batch_size": 10}
_VECA = configure("fed_veca", "mnist_case_3", _GIVEN)


def _budget(num_steps=90, num_examples=4 * 600):
    return StepBudget(_VECA, num_steps=num_steps, num_examples=num_examples)


def test_as_many_epochs_as_fed_veca_took_on_average():
    """90 steps with batches of 10 are 900 visits; in 4 rounds of 600 examples, E_avg = 0.375. A
    client with 200 examples takes ⌊0.375 · 200 / 10⌋ = 7 steps."""
    configuration = _budget().apply(configure("fed_avg", "mnist_case_3", _GIVEN))
    assert (configuration.epochs, configuration.steps) == (0.375, None)
    assert configuration == dataclasses.replace(
        configure("fed_avg", "mnist_case_3", _GIVEN), epochs=0.375, steps=None
    )


def test_centralized_sgd_takes_all_steps_in_equal_rounds():
    """90 in 4 rounds are 22.5 each, of which a round takes 22."""
    configuration = _budget().apply(configure("centralized_sgd", "mnist_case_3", _GIVEN))
    assert (configuration.epochs, configuration.steps) == (None, 22)


def test_whole_epochs_are_steps_that_are_rounded_down_as_well():
    """240 steps are one epoch. A whole number of epochs would take the last, smaller batches."""
    epochs = _budget(num_steps=240).average_epochs
    assert epochs == pytest.approx(1.0, abs=1e-12)
    assert epochs != 1.0


@pytest.mark.parametrize(
    ("algorithm", "change", "message"),
    [
        ("fed_veca", {}, "step_budget_of is not used by fed_veca"),
        ("fed_avg", {"rounds": 3}, "rounds is 3 here and 4 there"),
        ("fed_avg", {"batch_size": 32}, "batch_size is 32 here and 10 there"),
        ("fed_avg", {"clients_per_round": 2}, "clients_per_round is 2 here and 5 there"),
        ("fed_avg", {"model": "fed_veca_cnn"}, "model is 'fed_veca_cnn' here and 'squared_svm'"),
        ("fed_avg", {"num_clients": 30, "clients_per_round": 5}, "dataset_options is .*30"),
        ("fed_avg", {"seeds": Seeds(data=1)}, "data_seed is 1 here and 0 there"),
    ],
)
def test_what_is_not_comparable_is_named(algorithm, change, message):
    configuration = configure(algorithm, "mnist_case_3", {**_GIVEN, **change})
    with pytest.raises(ValueError, match=message):
        _budget().apply(configuration)


def _run(configuration, path):
    prepare(configuration, path).execute(show_progress=False)


@pytest.mark.long
def test_the_budget_of_a_real_run(tmp_path):
    """τ_all is what the clients say in FedVeca's own table, and D all training examples; the
    baseline then takes ⌊E_avg n_i / B⌋ steps, which FedNova's clients report."""
    given = {"rounds": 3, "num_clients": 4, "clients_per_round": 4}
    leader = configure("fed_veca", "synthetic_1_1", given)
    _run(leader, tmp_path / "leader")
    budget = read_step_budget(tmp_path / "leader")
    table = pd.read_csv(tmp_path / "leader" / "metrics.csv")
    assert budget.num_steps == sum(
        sum(json.loads(row)) for row in table["client_work/num_steps"].dropna()
    )
    task = load_task("synthetic_1_1", options={"num_clients": 4})
    sizes = num_examples_per_client(task.dataset.train)
    assert budget.num_examples == 3 * sizes.sum()

    follower = budget.apply(configure("fed_nova", "synthetic_1_1", given))
    _run(follower, tmp_path / "follower")
    table = pd.read_csv(tmp_path / "follower" / "metrics.csv")
    (steps,) = {tuple(json.loads(row)) for row in table["aggregator/cohort/reports/num_steps"][1:]}
    (clients,) = {
        tuple(json.loads(row)) for row in table["aggregator/cohort/reports/client_index"][1:]
    }
    average_epochs = budget.num_steps / 3 * 10 / sizes.sum()
    expected = np.maximum(np.floor(average_epochs * sizes[list(clients)] / 10 + 1e-6), 1)
    np.testing.assert_array_equal(steps, expected)


def test_what_holds_no_budget_is_named(tmp_path):
    with pytest.raises(ValueError, match="step_budget_of: .*nothing holds no run"):
        read_step_budget(tmp_path / "nothing")
    (tmp_path / "configuration.json").write_text(_VECA.to_json())
    with pytest.raises(ValueError, match="step_budget_of: the run in .* is not finished"):
        read_step_budget(tmp_path)
    other = configure("fed_avg", "mnist_case_3", _GIVEN)
    (tmp_path / "configuration.json").write_text(other.to_json())
    with pytest.raises(ValueError, match="is a run of fed_avg; it must be one of fed_veca"):
        read_step_budget(tmp_path)
