from __future__ import annotations

import pytest

from experiments.benchmarks.cases import CASES, Workload


def test_local_steps_round_the_last_batch_up():
    assert Workload(clients=10, examples=600, epochs=20, batch_size=10).local_steps == 12_000
    assert Workload(clients=2, examples=25, epochs=3, batch_size=10).local_steps == 18


@pytest.mark.parametrize("name", ["clients", "examples", "epochs", "batch_size"])
def test_a_size_below_1_is_named(name):
    with pytest.raises(ValueError, match=f"{name} must be an integer >= 1, got 0"):
        Workload(**{"clients": 1, "examples": 1, "epochs": 1, "batch_size": 1, name: 0})


@pytest.mark.parametrize("case", list(CASES.values()), ids=list(CASES))
def test_every_subject_trains_on_the_workloads_clients(case):
    workload = Workload(clients=3, examples=20, epochs=2, batch_size=8)
    task = case.build_task(workload)
    assert task.dataset.num_clients == 3
    assert [len(task.dataset.train.examples(name)["y"]) for name in task.dataset.client_ids] == [
        20
    ] * 3
    assert len(case.subject(task, workload).cohort) == 3
