from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from made_runs import write_run

from experiments.runs.configuration import Seeds
from experiments.runs.configure import configure
from experiments.runs.round_data import DataOfClients, PooledData, spread_steps
from experiments.runs.step_budget import StepBudget, read_step_budget
from leaf_data.client_data import num_examples_per_client
from leaf_data.tasks import load_task
from tff_weights.client_work.local_data import num_local_steps

_GIVEN = {"rounds": 4, "batch_size": 10}
_VECA = configure("fed_veca", "mnist_case_3", _GIVEN)


def _budget(num_steps=90):
    return StepBudget(_VECA, 4, num_steps, num_examples=4 * 600)


def test_as_many_epochs_as_fed_veca_took_on_average():
    """90 steps with batches of 10 are 900 visits; in 4 rounds of 600 examples, E_avg = 0.375. A
    client with 200 examples takes ⌊0.375 · 200 / 10⌋ = 7 steps. Centralized SGD takes them all in
    equal rounds: 90 in 4 are 22.5 each; a round takes 22. 240 steps are one epoch; a whole number
    of epochs would take the last, smaller batches."""
    plain = configure("fed_avg", "mnist_case_3", _GIVEN)
    assert _budget().apply(plain) == plain.with_settings(epochs=0.375, steps=None)
    pooled = _budget().apply(configure("centralized_sgd", "mnist_case_3", _GIVEN)).configuration
    assert (pooled.epochs, pooled.steps) == (None, 22)
    assert 1.0 != _budget(num_steps=240).average_epochs == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("batches", "rounds", "expected"),
    [
        # 4 · 9.75 = 39 steps; ⌊·⌋ takes 4 · 9 = 36: the halves of four rounds are 2.
        ([2.5, 3.25, 4.0], 4, [2, 1, 0]),
        # 3 · 4 = 12 and 3 · 3 = 9: shares of 1.2, 1.2 and 0.6, whose largest rest is the last.
        ([1.4, 1.4, 1.2], 3, [1, 1, 1]),
        # 4 steps and 3: shares of a third each; the first is taken.
        ([4 / 3, 4 / 3, 4 / 3], 1, [1, 0, 0]),
    ],
)
def test_the_remainder_of_the_steps_by_hand(batches, rounds, expected):
    assert spread_steps(np.array(batches), rounds=rounds).tolist() == expected


@given(
    st.lists(st.integers(1, 6000), min_size=1, max_size=60),
    st.integers(1, 200),
    st.integers(0, 10**5),
)
def test_clients_take_as_many_steps_as_the_budget_has(num_examples, rounds, more):
    """Whatever their sizes; and none is more than a step from its share of them."""
    sizes = np.array(num_examples)
    total = rounds * int(np.ceil(sizes.sum() / sizes.min())) + more
    batches = total / rounds * sizes / sizes.sum()
    extra = spread_steps(batches, rounds=rounds)
    taken = rounds * np.floor(batches + 1e-6) + extra
    assert taken.sum() == total
    assert np.all((extra >= 0) & (extra <= rounds))
    assert np.all(np.abs(taken - rounds * batches) < 1 + 1e-3)


def test_baselines_with_equal_steps():
    """1,003 steps in 4 rounds with batches of 10, for all clients together and for pooled data."""
    given = {**_GIVEN, "num_clients": 3, "clients_per_round": 3}
    leader = configure("fed_veca", "synthetic_1_1", given)
    given["step_remainder"] = "last_rounds"
    task = load_task("synthetic_1_1", options={"num_clients": 3})
    sizes = num_examples_per_client(task.dataset.train)
    budget = StepBudget(leader, 4, num_steps=1003, num_examples=4 * int(sizes.sum()))
    ours = budget.apply(configure("fed_avg", "synthetic_1_1", given))
    training = DataOfClients.local_training(ours.configuration, task)
    floor = np.floor(training.epochs * sizes / 10 + 1e-6)
    assert (4 * floor + 4 - np.array(training.extra_step_from)).sum() == 1003
    pooled = budget.apply(configure("centralized_sgd", "synthetic_1_1", given))
    training = PooledData.local_training(pooled.configuration, task)
    assert (training.steps, training.extra_step_from) == (250, (1,))


@pytest.mark.parametrize("epochs", [0.01, 1.5, 2])
def test_pooled_data_take_as_many_steps_as_all_clients(epochs):
    given = {"num_clients": 3, "clients_per_round": 3, "epochs": epochs}
    task = load_task("synthetic_1_1", options={"num_clients": 3})
    pooled = configure("centralized_sgd", "synthetic_1_1", given).configuration
    local_training = DataOfClients.local_training(pooled, task)
    sizes = num_examples_per_client(task.dataset.train)
    of_clients = [int(num_local_steps(local_training, tf.constant(size))) for size in sizes]
    assert PooledData.local_training(pooled, task).steps == sum(of_clients)


@pytest.mark.parametrize(
    ("data", "change", "message"),
    [
        (DataOfClients, {"epochs": 2}, "epochs that are not whole, .*epochs=2"),
        (DataOfClients, {"epochs": 1e-4}, "at least one step a round"),
        *(
            (data, change, message)
            for data in (DataOfClients, PooledData)
            for change, message in (
                ({"epochs": 1.5, "clients_per_round": 2}, "clients_per_round must be 3, got 2"),
                ({"epochs": None, "steps": 3}, "epochs that are not whole, .*steps=3"),
            )
        ),
    ],
)
def test_a_remainder_that_cannot_be_spread_is_refused(data, change, message):
    given = {"num_clients": 3, "clients_per_round": 3, "step_remainder": "last_rounds", **change}
    configuration = configure("fed_avg", "synthetic_1_1", given).configuration
    task = load_task("synthetic_1_1", options={"num_clients": 3})
    with pytest.raises(ValueError, match=message):
        data.local_training(configuration, task)


@pytest.mark.parametrize(
    ("algorithm", "change", "message"),
    [
        ("fed_veca", {}, "step_budget_of is not used by fed_veca"),
        ("fed_avg", {"rounds": 3}, "rounds is 3 here and 4 there"),
        ("fed_avg", {"num_clients": 30, "clients_per_round": 5}, "dataset_options is .*30"),
        ("fed_avg", {"seeds": Seeds(data=1)}, "data_seed is 1 here and 0 there"),
    ],
)
def test_what_is_not_comparable_is_named(algorithm, change, message):
    run = configure(algorithm, "mnist_case_3", {**_GIVEN, **change})
    with pytest.raises(ValueError, match=message):
        _budget().apply(run)


def test_what_holds_no_budget_is_named(tmp_path):
    with pytest.raises(ValueError, match="step_budget_of: .*nothing holds no finished run"):
        read_step_budget(tmp_path / "nothing")
    other = configure("fed_avg", "mnist_case_3", _GIVEN)
    with pytest.raises(ValueError, match="must be a run of fed_veca, got one of fed_avg"):
        read_step_budget(write_run(tmp_path, other, 50.0).path)
    columns = {f"aggregator/cohort/reports/{name}": [] for name in ("num_steps", "num_examples")}
    with pytest.raises(ValueError, match="no client took part"):
        read_step_budget(write_run(tmp_path, _VECA, 50.0, columns=columns).path)
    ended = _VECA.with_settings(rounds=9, target_accuracy=10.0)
    directory = write_run(tmp_path, ended, 50.0, columns=columns)
    result = directory.read_result()
    directory.metrics.write_text(directory.metrics.read_text().replace("\n9,", "\n5,"))
    directory.finish(result)
    with pytest.raises(ValueError, match="its target accuracy ended it"):
        read_step_budget(directory.path)
