from __future__ import annotations

import numpy as np

from benchmarks import contenders, tasks
from benchmarks.bare_loop import bare_loop
from benchmarks.contenders import Setting
from benchmarks.workload import Workload


def test_it_trains_as_fed_avg_does(tmp_path):
    workload = Workload(clients=2, examples=5, epochs=None, batch_size=2, steps=7)
    setting = Setting(tasks.logistic_regression(workload), workload, tmp_path)
    ours, bare = contenders.fed_avg(setting), bare_loop(setting)
    for _ in range(2):
        ours.run_round()
        bare.run_round()
        for weights, expected in zip(ours.weights(), bare.weights()):
            np.testing.assert_allclose(weights, expected, atol=1e-6)
