from __future__ import annotations

import pytest

from benchmarks.workload import Workload


def test_local_steps_round_the_last_batch_up():
    assert Workload(clients=10, examples=600, epochs=20, batch_size=10).local_steps == 12_000
    assert Workload(clients=2, examples=25, epochs=3, batch_size=10).local_steps == 18


def test_steps_count_for_each_client():
    workload = Workload(clients=2, examples=25, epochs=None, batch_size=10, steps=7)
    assert (workload.client_steps, workload.local_steps) == (7, 14)


@pytest.mark.parametrize(
    "name", ["clients", "examples", "epochs", "batch_size", "steps", "population"]
)
def test_a_size_below_1_is_named(name):
    sizes = {"clients": 1, "examples": 1, "epochs": 1, "batch_size": 1, name: 0}
    with pytest.raises(ValueError, match=f"{name} must be an integer >= 1, got 0"):
        Workload(**sizes)


@pytest.mark.parametrize(("epochs", "steps"), [(None, None), (1, 1)])
def test_epochs_or_steps(epochs, steps):
    with pytest.raises(ValueError, match=f"got epochs={epochs} and steps={steps}"):
        Workload(clients=1, examples=1, epochs=epochs, batch_size=1, steps=steps)


def test_a_cohort_is_part_of_its_population():
    assert Workload(2, 1, 1, 1).num_clients == 2
    assert Workload(2, 1, 1, 1, population=5).num_clients == 5
    with pytest.raises(ValueError, match="clients must be at most the population of 5, got 6"):
        Workload(6, 1, 1, 1, population=5)


def test_resized_epochs_and_steps_replace_each_other():
    workload = Workload(clients=2, examples=25, epochs=3, batch_size=10)
    assert workload.resized(steps=4, clients=1) == Workload(1, 25, None, 10, steps=4)
    assert workload.resized(steps=4).resized(epochs=3) == workload
    assert workload.resized(examples=5) == Workload(2, 5, 3, 10)
    with pytest.raises(ValueError, match="exactly one of epochs and steps"):
        workload.resized(steps=4, epochs=3)


def test_in_words():
    assert str(Workload(2, 25, 3, 10, population=1000)) == (
        "2 clients of 1,000 x 25 examples, 3 epochs, batches of 10: 18 local steps a round"
    )
    assert str(Workload(1, 25, None, 10, steps=7)).startswith("1 client x 25 examples, 7 steps,")
