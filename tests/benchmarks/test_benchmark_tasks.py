from __future__ import annotations

import numpy as np
import pytest

from benchmarks import tasks
from benchmarks.workload import Workload
from leaf_data.client_data import client_examples

_WORKLOAD = Workload(clients=2, examples=7, epochs=1, batch_size=4, population=3)


def _num_parameters(task) -> int:
    return sum(np.size(weights) for weights in task.build_model(0).initial_weights[0])


@pytest.mark.parametrize(
    ("build_task", "shape", "dtype", "num_parameters"),
    [
        (tasks.logistic_regression, (60,), np.float32, 610),
        (tasks.convolutional_network, (28, 28), np.uint8, 1_663_370),
        (tasks.shakespeare_lstm, (80,), np.uint8, 817_872),
        (tasks.sent140_lstm, (25,), np.int32, 3_241_302),
        (tasks.mnist_in_memory, (28, 28), np.uint8, 7_850),
    ],
)
def test_real_shapes_on_noise(build_task, shape, dtype, num_parameters):
    task = build_task(_WORKLOAD)
    assert task.dataset.client_ids == ["client_0", "client_1", "client_2"]
    assert _num_parameters(task) == num_parameters
    first, second = (client_examples(task.dataset.train, f"client_{i}") for i in (0, 1))
    assert (first["x"].shape, first["x"].dtype) == ((7, *shape), dtype)
    assert (first["y"].shape, first["y"].dtype) == ((7,), np.int32)
    assert first["y"].min() >= 0 and first["y"].max() < task.dataset.num_classes
    assert not np.array_equal(first["x"], second["x"])
    again = client_examples(task.dataset.train, "client_0")
    np.testing.assert_array_equal(first["x"], again["x"])


@pytest.mark.parametrize("wanted", [1_000, 100_000, 10_000_000])
def test_perceptrons_are_about_as_large_as_asked_for(wanted):
    task = tasks.sized_perceptron(_WORKLOAD, num_parameters=wanted)
    assert _num_parameters(task) == pytest.approx(wanted, rel=0.05)


def test_symbols_stay_in_the_alphabet():
    task = tasks.shakespeare_lstm(Workload(clients=1, examples=50, epochs=1, batch_size=1))
    assert client_examples(task.dataset.train, "client_0")["x"].max() < 80
