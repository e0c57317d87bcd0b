"""LEAF's JSON of a gigabyte, read in a process of its own whose memory is measured."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
_BYTES_OF_JSON = 10**9
_BYTES_OF_DISK = 4 * 10**9
# Beside TensorFlow and TFF: a client at a time needs hardly any.
_MOST_ADDED_MEGABYTES = 100
_FILES = {"train": 18, "test": 2}
_SAMPLES = 100
_PIXELS = np.round(np.random.default_rng(0).integers(0, 256, (_SAMPLES, 784)) / 255, 6)
_EXAMPLES = json.dumps({"x": _PIXELS.tolist(), "y": (np.arange(_SAMPLES) % 62).tolist()})

_PARSING = """
import sys
from leaf_data.leaf_json.parser import parse_leaf_json

print(sum(len(examples["y"]) for _, examples in parse_leaf_json(sys.argv[1])))
print(*{"tensorflow", "tensorflow_federated"} & set(sys.modules))
"""
# What Linux says about this process alone: `ru_maxrss` would count the memory of the process that
# started it as well.
_READING = """
import sys
from leaf_data.leaf_json.reader import read_leaf_json

def megabytes():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

imported = megabytes()
dataset = read_leaf_json(sys.argv[1])
last = dataset.train.examples(dataset.client_ids[-1])
print(megabytes() - imported)
print(dataset.num_clients, *(data.num_examples.sum() for data in (dataset.train, dataset.test)))
print(*last["x"][-1][:3].tolist())
"""


def _write(path: pathlib.Path, *, clients: int, prefix: str = "f") -> None:
    """A file of clients who all have the same examples, written without reading them again."""
    path.parent.mkdir(exist_ok=True)
    users = [f"{prefix}_{client:05d}" for client in range(clients)]
    with open(path, "w") as file:
        file.write(f'{{"users": {json.dumps(users)}, "num_samples": {[_SAMPLES] * clients}, ')
        file.write('"user_data": {')
        for place, user in enumerate(users):
            file.write(f'{", " if place else ""}"{user}": {_EXAMPLES}')
        file.write("}}")


def _printed(program: str, path: pathlib.Path) -> list[str]:
    command = [sys.executable, "-c", program, str(path)]
    arguments = {"cwd": _REPOSITORY, "text": True, "check": True, "timeout": 1800}
    return subprocess.run(command, stdout=subprocess.PIPE, **arguments).stdout.splitlines()


def test_the_parser_needs_no_tensorflow(tmp_path):
    """Which takes more memory than a file of a gigabyte does."""
    _write(tmp_path / "train" / "a.json", clients=2)
    assert _printed(_PARSING, tmp_path / "train" / "a.json") == [f"{2 * _SAMPLES}", ""]


@pytest.mark.long
def test_reading_a_gigabyte_adds_less_than_100_megabytes(tmp_path):
    """What is resident at the highest, less what the imports of TensorFlow and TFF need alone.

    Those are more than 600 MB, half of them the libraries' own files.
    """
    if shutil.disk_usage(tmp_path).free < _BYTES_OF_DISK:
        pytest.skip(f"{tmp_path} has less than {_BYTES_OF_DISK / 10**9:g} GB left")
    clients = -(-_BYTES_OF_JSON // (len(_EXAMPLES) * sum(_FILES.values())))
    try:
        for split, count in _FILES.items():
            for number in range(count):
                path = tmp_path / split / f"all_data_{number:03d}.json"
                _write(path, clients=clients, prefix=f"f{number:03d}")
        assert sum(path.stat().st_size for path in tmp_path.rglob("*.json")) >= _BYTES_OF_JSON
        added, counts, pixels = _printed(_READING, tmp_path)
    finally:  # pytest would keep a gigabyte for a while.
        for split in _FILES:
            shutil.rmtree(tmp_path / split, ignore_errors=True)
    train, test = (count * clients for count in _FILES.values())
    assert counts == f"{train} {train * _SAMPLES} {test * _SAMPLES}"
    np.testing.assert_allclose(np.array(pixels.split(), float), _PIXELS[-1, :3], atol=1e-6)
    assert float(added) < _MOST_ADDED_MEGABYTES
