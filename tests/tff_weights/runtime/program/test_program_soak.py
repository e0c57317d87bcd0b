"""What a long run leaves in memory, on threads and in files."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[4]
_ROUNDS = 10_000
_SETTLED_ROUND = 100
_ALLOWED_GROWTH = 1.05

# Every round has another number of clients, with other data, of other sizes, some of them none.
_PROGRAM = f"""
import collections, json, os, pathlib, tempfile, threading
import numpy as np, psutil, tensorflow as tf
import tff_weights
from leaf_data.models import logistic_regression
from tff_weights import runtime

def state_of_the_process():
    process = psutil.Process()
    return dict(
        mebibytes=process.memory_info().rss / 2**20,
        threads=threading.active_count(),
        files=process.num_fds(),
        processes=len(process.children(recursive=True)),
        temporary=len(os.listdir(tempfile.gettempdir())),
    )

def client(generator, index):
    size = generator.integers(0, 2001)
    examples = collections.OrderedDict(
        x=generator.normal(size=(size, 60)).astype(np.float32),
        y=generator.integers(10, size=size).astype(np.int32),
    )
    return tff_weights.client_data(index, tf.data.Dataset.from_tensor_slices(examples))

runtime.use()
process = tff_weights.build_fed_avg(
    logistic_regression(num_features=60, num_classes=10, seed=0),
    local_training=tff_weights.LocalTraining(
        learning_rate=0.01, batch_size=10, epochs=1, compile_with_xla=True
    ),
)
generator = np.random.default_rng(0)
state = process.initialize()
for round_number in range(1, {_ROUNDS} + 1):
    cohort = [client(generator, n) for n in range(generator.integers(1, 12))]
    state = process.next(state, cohort).state
    if round_number == {_SETTLED_ROUND} or round_number % 500 == 0:
        print(json.dumps(dict(round=round_number, **state_of_the_process())), flush=True)
"""


@pytest.mark.long
def test_ten_thousand_rounds_leave_nothing_behind(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        cwd=_REPOSITORY,
        env={**os.environ, "TMPDIR": str(tmp_path), "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        check=False,
    )
    print(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    settled, *later = [json.loads(line) for line in ended.stdout.splitlines()]
    assert (settled["round"], later[-1]["round"]) == (_SETTLED_ROUND, _ROUNDS)
    for looked_at in later:
        assert looked_at["mebibytes"] <= _ALLOWED_GROWTH * settled["mebibytes"], looked_at
        for kind in ("threads", "files", "processes", "temporary"):
            assert looked_at[kind] == settled[kind], (kind, settled, looked_at)
    assert list(tmp_path.iterdir()) == []
