"""What a long run leaves in memory, on threads and in files."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[4]
_ALLOWED_GROWTH = 1.05

_PROGRAM = """
import collections, json, os, pathlib, tempfile, threading
import numpy as np, psutil, tensorflow as tf, tensorflow_federated as tff
import tff_weights
from leaf_data.models import logistic_regression
from tff_weights import runtime

def print_state_of_the_process(number):
    process = psutil.Process()
    print(json.dumps(dict(
        number=number,
        mebibytes=process.memory_info().rss / 2**20,
        threads=threading.active_count(),
        files=process.num_fds(),
        processes=len(process.children(recursive=True)),
        temporary=len(os.listdir(tempfile.gettempdir())),
    )), flush=True)

def client(generator, size):
    return tf.data.Dataset.from_tensor_slices(collections.OrderedDict(
        x=generator.normal(size=(size, 60)).astype(np.float32),
        y=generator.integers(10, size=size).astype(np.int32),
    ))

generator = np.random.default_rng(0)
runtime.use()
process = tff_weights.build_fed_avg(
    logistic_regression(num_features=60, num_classes=10, seed=0),
    local_training=tff_weights.LocalTraining(
        learning_rate=0.01, batch_size=10, epochs=1, compile_with_xla=True
    ),
)
state = process.initialize()
for number in range(1, 10_001):
    # Another number of clients, with other data, of other sizes, some of them none.
    cohort = [
        tff_weights.client_data(n, client(generator, generator.integers(0, 2001)))
        for n in range(generator.integers(1, 12))
    ]
    state = process.next(state, cohort).state
    if number == 100 or number % 500 == 0:
        print_state_of_the_process(number)
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
    assert later[-1]["number"] == 10_000
    for looked_at in later:
        assert looked_at["mebibytes"] <= _ALLOWED_GROWTH * settled["mebibytes"], looked_at
        for kind in ("threads", "files", "processes", "temporary"):
            assert looked_at[kind] == settled[kind], (kind, settled, looked_at)
    assert list(tmp_path.iterdir()) == []
