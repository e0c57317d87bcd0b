"""LEAF's JSON of a gigabyte, read in a process of its own whose memory is measured."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
_BYTES_OF_JSON = 10**9
_BYTES_OF_DISK = 4 * 10**9
_MOST_MEGABYTES = 500
# Of these, beside TensorFlow and TFF: a client at a time needs hardly any.
_MOST_ADDED_MEGABYTES = 100
_TRAIN_FILES = 18
_TEST_FILES = 2
_SAMPLES_PER_CLIENT = 100

# What Linux says about this process alone: `ru_maxrss` would count the memory of the process that
# started it as well.
_MEMORY = """
import sys

def megabytes():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
"""
_PARSING = """
from leaf_data.leaf_json.parser import parse_leaf_json

num_clients = num_samples = 0
for _, examples in parse_leaf_json(sys.argv[1]):
    num_clients += 1
    num_samples += len(examples["y"])
print(megabytes())
print(num_clients, num_samples, *examples["x"][-1][:3].tolist())
print(*sorted({"tensorflow", "tensorflow_federated"} & set(sys.modules)))
"""
_READING = """
from leaf_data.leaf_json.reader import read_leaf_json

print(megabytes())
dataset = read_leaf_json(sys.argv[1])
last = dataset.client_ids[-1]
print(megabytes())
print(dataset.num_clients, dataset.num_classes)
print(*(data.num_examples.sum() for data in (dataset.train, dataset.test)))
print(*dataset.train.examples(last)["x"][-1][:3].tolist())
"""


_PIXELS = np.random.default_rng(0).integers(0, 256, (_SAMPLES_PER_CLIENT, 784)) / 255
_EXAMPLES = json.dumps(
    {"x": np.round(_PIXELS, 6).tolist(), "y": (np.arange(_SAMPLES_PER_CLIENT) % 62).tolist()}
)


def _write(folder: pathlib.Path, *, files: range, clients_per_file: int) -> None:
    """Files of clients who all have the same examples, written without reading them again."""
    folder.mkdir(exist_ok=True)
    for number in files:
        users = [f"f{number:03d}_{client:05d}" for client in range(clients_per_file)]
        counts = [_SAMPLES_PER_CLIENT] * len(users)
        with open(folder / f"all_data_{number:03d}.json", "w") as file:
            file.write(f'{{"users": {json.dumps(users)}, "num_samples": {counts}, "user_data": {{')
            for place, user in enumerate(users):
                file.write(f'{", " if place else ""}"{user}": {_EXAMPLES}')
            file.write("}}")


def _clients_of_a_gigabyte(*, files: int) -> int:
    """How many clients each of so many files needs."""
    return -(-_BYTES_OF_JSON // (len(_EXAMPLES) * files))


def _printed(program: str, path: pathlib.Path) -> list[str]:
    return subprocess.run(
        [sys.executable, "-c", _MEMORY + program, str(path)],
        cwd=_REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=1800,
    ).stdout.splitlines()


@pytest.fixture(name="folder")
def _folder(tmp_path) -> Iterator[pathlib.Path]:
    """A folder that is empty again at once, where pytest would keep a gigabyte for a while."""
    if shutil.disk_usage(tmp_path).free < _BYTES_OF_DISK:
        pytest.skip(f"{tmp_path} has less than {_BYTES_OF_DISK / 10**9:g} GB left")
    yield tmp_path
    for path in tmp_path.iterdir():
        shutil.rmtree(path)


def test_the_parser_needs_no_tensorflow(tmp_path):
    """Which would take more than the 500 MB that a gigabyte may, before a byte is read."""
    _write(tmp_path / "train", files=range(1), clients_per_file=2)
    (path,) = (tmp_path / "train").iterdir()
    _, counted, heavy = _printed(_PARSING, path)
    assert counted.startswith(f"2 {2 * _SAMPLES_PER_CLIENT} ")
    assert heavy == ""


@pytest.mark.long
def test_a_gigabyte_is_parsed_in_less_than_500_megabytes(folder):
    """What is resident at the highest, of the whole process and in one file."""
    num_clients = _clients_of_a_gigabyte(files=1)
    _write(folder / "train", files=range(1), clients_per_file=num_clients)
    (path,) = (folder / "train").iterdir()
    assert path.stat().st_size >= _BYTES_OF_JSON
    begin = time.monotonic()
    megabytes, counted, _ = _printed(_PARSING, path)
    print(f"{float(megabytes):.0f} MB at the highest, {time.monotonic() - begin:.0f} s")
    clients, samples, *of_last = counted.split()
    assert int(clients) == num_clients
    assert int(samples) == num_clients * _SAMPLES_PER_CLIENT
    np.testing.assert_allclose([float(pixel) for pixel in of_last], _PIXELS[-1, :3], atol=1e-6)
    assert float(megabytes) < _MOST_MEGABYTES


@pytest.mark.long
def test_reading_a_gigabyte_adds_less_than_100_megabytes(folder):
    """What is resident at the highest, less what the imports of TensorFlow and TFF need alone.

    Those are more than 600 MB, half of them the libraries' own files.
    """
    per_file = _clients_of_a_gigabyte(files=_TRAIN_FILES + _TEST_FILES)
    _write(folder / "train", files=range(_TRAIN_FILES), clients_per_file=per_file)
    _write(folder / "test", files=range(_TEST_FILES), clients_per_file=per_file)
    assert sum(path.stat().st_size for path in folder.rglob("*.json")) >= _BYTES_OF_JSON
    printed = _printed(_READING, folder)
    imported, whole = float(printed[0]), float(printed[1])
    print(f"{imported:.0f} MB after the imports, {whole:.0f} MB at the highest")
    assert printed[2:4] == [
        f"{_TRAIN_FILES * per_file} 62",
        f"{_TRAIN_FILES * per_file * _SAMPLES_PER_CLIENT}"
        f" {_TEST_FILES * per_file * _SAMPLES_PER_CLIENT}",
    ]
    of_last = [float(number) for number in printed[4].split()]
    np.testing.assert_allclose(of_last, _PIXELS[-1, :3], atol=1e-6)
    assert whole - imported < _MOST_ADDED_MEGABYTES
