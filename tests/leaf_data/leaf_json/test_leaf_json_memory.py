"""LEAF's JSON of a gigabyte, read in a process of its own whose memory is measured."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
_BYTES_OF_JSON = 10**9
_BYTES_OF_DISK = 4 * 10**9
# Of 500 that are allowed: a client at a time needs hardly any.
_MOST_MEGABYTES = 100
_TRAIN_FILES = 18
_TEST_FILES = 2
_SAMPLES_PER_CLIENT = 100

# What Linux says about this process alone: `ru_maxrss` would count the memory of the process that
# started it as well.
_READING = """
import sys
from leaf_data.leaf_json import read_leaf_json

def megabytes():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

print(megabytes())
dataset = read_leaf_json(sys.argv[1])
last = dataset.client_ids[-1]
print(megabytes())
print(dataset.num_clients, dataset.num_classes)
print(*(data.num_examples.sum() for data in (dataset.train, dataset.test)))
print(*dataset.train.examples(last)["x"][-1][:3].tolist())
"""


def _write(folder: pathlib.Path, *, files: range, clients_per_file: int, examples: str) -> None:
    """Files of clients who all have the same examples, written without reading them again."""
    folder.mkdir(exist_ok=True)
    for number in files:
        users = [f"f{number:03d}_{client:05d}" for client in range(clients_per_file)]
        counts = [_SAMPLES_PER_CLIENT] * len(users)
        with open(folder / f"all_data_{number:03d}.json", "w") as file:
            file.write(f'{{"users": {json.dumps(users)}, "num_samples": {counts}, "user_data": {{')
            for place, user in enumerate(users):
                file.write(f'{", " if place else ""}"{user}": {examples}')
            file.write("}}")


@pytest.fixture(name="folder")
def _folder(tmp_path) -> Iterator[pathlib.Path]:
    """A folder that is empty again at once, where pytest would keep a gigabyte for a while."""
    yield tmp_path
    for path in tmp_path.iterdir():
        shutil.rmtree(path)


@pytest.mark.long
def test_a_gigabyte_needs_less_than_100_megabytes(folder):
    """What is resident at the highest, less what the imports of TensorFlow and TFF need alone.

    Those are more than 600 MB, half of them the libraries' own files.
    """
    if shutil.disk_usage(folder).free < _BYTES_OF_DISK:
        pytest.skip(f"{folder} has less than {_BYTES_OF_DISK / 10**9:g} GB left")
    pixels = np.random.default_rng(0).integers(0, 256, (_SAMPLES_PER_CLIENT, 784)) / 255
    labels = (np.arange(_SAMPLES_PER_CLIENT) % 62).tolist()
    examples = json.dumps({"x": np.round(pixels, 6).tolist(), "y": labels})
    per_file = -(-_BYTES_OF_JSON // (len(examples) * (_TRAIN_FILES + _TEST_FILES)))
    _write(
        folder / "train", files=range(_TRAIN_FILES), clients_per_file=per_file, examples=examples
    )
    _write(folder / "test", files=range(_TEST_FILES), clients_per_file=per_file, examples=examples)
    assert sum(path.stat().st_size for path in folder.rglob("*.json")) >= _BYTES_OF_JSON
    printed = subprocess.run(
        [sys.executable, "-c", _READING, str(folder)],
        cwd=_REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=1800,
    ).stdout.splitlines()
    imported, whole = float(printed[0]), float(printed[1])
    print(f"{imported:.0f} MB after the imports, {whole:.0f} MB at the highest")
    assert printed[2:4] == [
        f"{_TRAIN_FILES * per_file} 62",
        f"{_TRAIN_FILES * per_file * _SAMPLES_PER_CLIENT}"
        f" {_TEST_FILES * per_file * _SAMPLES_PER_CLIENT}",
    ]
    of_last = [float(number) for number in printed[4].split()]
    np.testing.assert_allclose(of_last, pixels[-1, :3], atol=1e-6)
    assert whole - imported < _MOST_MEGABYTES
