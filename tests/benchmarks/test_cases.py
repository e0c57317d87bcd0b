"""Tests of the benchmark's cases: their names, sizes, tasks and contenders."""

from __future__ import annotations

import numpy as np
import pytest

import tff_weights
from benchmarks import contenders, tasks
from benchmarks.contenders import Setting
from benchmarks.groups import CASES, GROUPS, algorithms, chosen
from benchmarks.measuring import measure
from benchmarks.workload import Workload
from experiments.papers import catalogue
from leaf_data.client_data import client_examples

# Each takes seconds to build, twice, however small the round. The program's own test runs another.
_BY_DEFAULT = ("algorithms/scaffold",)
_NETWORKS = ("cnn", "shakespeare", "sent140", "fed_veca", "fed_veca_same_batches", "scaffold_cnn")


def _small_workload(name):
    """As small as a round can be that has a last batch of another size."""
    group, case = name.split("/")
    if group == "evaluation":
        return CASES[name].resized(clients=3, examples=5, batch_size=4)
    if case in _NETWORKS:
        return CASES[name].workload.resized(clients=2, examples=6, batch_size=4, steps=3)
    clients = 1 if case == "centralized_sgd" else 2
    return CASES[name].resized(clients=clients, examples=25, batch_size=10, epochs=2)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in _BY_DEFAULT else pytest.mark.long) for n in CASES]
)
def test_both_run_and_agree_where_they_should(name):
    case = CASES[name]
    measurement = measure(name, case, _small_workload(name), repeats=2)
    for times in (measurement.subject, measurement.reference):
        if times is not None:
            assert len(times.rounds) == 2
            assert all(seconds > 0 for seconds in (times.first, *times.rounds))
    assert measurement.memory["program"] > 50 * 2**20
    assert measurement.agrees is (None if case.tolerance is None else True)


def test_names_of_groups_and_cases():
    """Every algorithm is compared."""
    for name, each in catalogue.algorithms().items():
        case = each.attacked or name
        assert name == "fed_avg" or any(other.startswith(case) for other in algorithms.CASES)
    assert chosen(["builders/mlr"]) == ["builders/mlr"]
    assert chosen(["limits"]) == ["limits/cnn", "limits/shakespeare", "limits/sent140"]
    assert chosen(["build/mlr", "build", "build/mlr"]) == ["build/mlr"]
    assert chosen(["all"]) == list(CASES)
    assert list(GROUPS["cohort"]) == ["10", "30", "100", "300"]
    for bad in (["lim"], ["limits/"], [""], []):
        with pytest.raises(ValueError, match="case"):
            chosen(bad)


def test_sizes_by_hand():
    """20 epochs of 60 batches for 10 clients; a last batch of another size counts as one.

    Epochs and steps replace each other, and what is fixed stays.
    """
    assert Workload(10, 600, 20, 10).client_steps == 1_200
    assert Workload(2, 25, 3, 10).client_steps == 9
    assert Workload(2, 25, None, 10, steps=7).client_steps == 7
    workload = Workload(clients=2, examples=25, epochs=3, batch_size=10)
    assert workload.resized(steps=4).resized(epochs=3) == workload
    for sizes in ({"steps": 4, "epochs": 3}, {"clients": 9, "population": 5}):
        with pytest.raises(ValueError, match=min(sizes)):
            workload.resized(**sizes)


@pytest.mark.parametrize(
    ("build_task", "shape", "dtype", "num_parameters"),
    [
        (tasks.shakespeare_lstm, (80,), np.uint8, 817_872),
        (tasks.sent140_lstm, (25,), np.int32, 3_241_302),
        (CASES["model/100000"].build_task, (60,), np.uint8, 99_978),
    ],
)
def test_real_shapes_on_noise(build_task, shape, dtype, num_parameters):
    task = build_task(Workload(clients=2, examples=7, epochs=1, batch_size=4, population=3))
    assert task.dataset.client_ids == ["client_0", "client_1", "client_2"]
    assert sum(map(np.size, task.build_model(0).initial_weights[0])) == num_parameters
    first, second = (client_examples(task.dataset.train, f"client_{i}") for i in (0, 1))
    assert (first["x"].shape, first["x"].dtype) == ((7, *shape), dtype)
    assert first["y"].min() >= 0 and first["y"].max() < task.dataset.num_classes
    assert not np.array_equal(first["x"], second["x"])
    np.testing.assert_array_equal(first["x"], client_examples(task.dataset.train, "client_0")["x"])


def _setting(tmp_path, **sizes):
    workload = Workload(**{"clients": 2, "examples": 5, "epochs": 1, "batch_size": 4, **sizes})
    return Setting(tasks.logistic_regression(workload), workload, tmp_path)


def _weights_of_rounds(contender, num_rounds):
    seen = []
    for _ in range(num_rounds):
        contender.run_round()
        seen.append(np.copy(contender.weights()[0]))
    return seen


def test_a_round_goes_on_from_the_last_unless_it_starts_again_or_the_state_stays(tmp_path):
    assert list(_setting(tmp_path, clients=3, population=10).cohort()) == [0, 3, 6]
    setting = _setting(tmp_path, epochs=None, steps=7, batch_size=2)
    one, two = _weights_of_rounds(contenders.fed_avg(setting), 2)
    assert not np.array_equal(one, two)
    for build in (
        contenders.algorithm(tff_weights.build_fed_avg, most_rounds=1),
        contenders.from_the_start(contenders.fed_avg),
    ):
        for weights in _weights_of_rounds(build(setting), 2):
            np.testing.assert_array_equal(weights, one)
    # The bare loop trains as FedAvg does.
    bare = _weights_of_rounds(contenders.bare_loop(setting), 2)
    np.testing.assert_allclose([one, two], bare, atol=1e-6)
