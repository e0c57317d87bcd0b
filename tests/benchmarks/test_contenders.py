from __future__ import annotations

import numpy as np
import pytest

import tff_weights
from benchmarks import contenders, tasks
from benchmarks.contenders import Setting
from benchmarks.workload import Workload


def _setting(tmp_path, build_task=tasks.logistic_regression, **sizes) -> Setting:
    sizes = {"clients": 2, "examples": 5, "epochs": 1, "batch_size": 4, **sizes}
    workload = Workload(**sizes)
    return Setting(build_task(workload), workload, tmp_path)


def test_the_cohort_is_spread_over_all_clients(tmp_path):
    setting = _setting(tmp_path, clients=3, population=10)
    assert list(setting.cohort()) == [0, 3, 6]
    assert [len(examples["y"]) for examples in setting.cohort().values()] == [5, 5, 5]


def test_every_round_goes_on_from_the_last(tmp_path):
    contender = contenders.fed_avg(_setting(tmp_path))
    seen = []
    for _ in range(3):
        contender.run_round()
        seen.append(contender.weights()[0])
    assert not np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[1], seen[2])


def test_most_rounds_keep_the_state(tmp_path):
    build = contenders.algorithm(tff_weights.build_fed_avg, most_rounds=1)
    contender = build(_setting(tmp_path))
    contender.run_round()
    after_one = contender.weights()[0]
    contender.run_round()
    np.testing.assert_array_equal(contender.weights()[0], after_one)


def test_building_anew_begins_anew(tmp_path):
    contender = contenders.first_round_of_fed_avg(_setting(tmp_path))
    contender.run_round()
    first = contender.weights()[0]
    contender.run_round()
    np.testing.assert_array_equal(contender.weights()[0], first)


def test_an_algorithm_leaves_its_files_in_the_settings_directory(tmp_path):
    contender = contenders.algorithm(tff_weights.build_scaffold)(_setting(tmp_path))
    contender.run_round()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1"]


def test_an_evaluation_passes_through_the_data_once(tmp_path):
    setting = _setting(tmp_path, tasks.mnist_in_memory)
    contender = contenders.per_client_evaluation(setting)
    contender.run_round()
    assert contender.weights is None
    with pytest.raises(ValueError, match="an evaluation is one epoch, got 2 clients"):
        contenders.per_client_evaluation(_setting(tmp_path, tasks.mnist_in_memory, epochs=2))
