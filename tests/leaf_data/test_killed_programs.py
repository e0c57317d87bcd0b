"""Programs that are killed while they prepare data: the next one ends as if nothing had been."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import subprocess
import sys
import time
from collections.abc import Iterator

import image_files
import pytest
import text_files

pytestmark = pytest.mark.long

_NUM_KILLS = 4
# Loads what its arguments name, from the address of this test where a text has to be downloaded.
_PROGRAM = """
import json, os, sys
from leaf_data import registry
from leaf_data.shakespeare import gutenberg_builder
from test_determinism import digest

name, data_dir, address, options, prepared = sys.argv[1:]
gutenberg_builder.ADDRESS = address
print("ready", flush=True)
dataset = registry.load(
    name,
    data_dir=data_dir,
    options=json.loads(options),
    prepared_dir=os.path.join(data_dir, prepared) if prepared else None,
)
print("digest", digest(dataset), flush=True)
"""


@pytest.fixture(name="address", scope="module")
def _address(tmp_path_factory) -> Iterator[str]:
    with text_files.gutenberg_served(tmp_path_factory.mktemp("served")) as address:
        yield address


def _digest(program: subprocess.Popen[str]) -> str:
    """What it prints of the data set; TFDS prints what it does."""
    return next(line for line in program.stdout if line.startswith("digest"))


@contextlib.contextmanager
def _program(name: str, options: str, folder: pathlib.Path, address: str, prepared: str = ""):
    """The program, once its imports are done."""
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, name, str(folder), address, options, prepared],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


# A data set, its options, and the files that it is read from; the last one is downloaded.
_WHOLE = {
    "mnist": (
        *("mnist", '{"num_clients": 20}'),
        lambda folder: image_files.write_npz(folder / "mnist.npz"),
    ),
    "femnist": (
        *("femnist", '{"num_clients": 10}'),
        lambda folder: image_files.write_npz(
            folder / "emnist_byclass.npz", num_classes=62, per_class=60
        ),
    ),
    "plays": (
        *("leaf_shakespeare", "{}"),
        lambda folder: text_files.write_plays(
            folder / "shakespeare_plays.json.gz", text_files.plays(30)
        ),
    ),
    "sent140": (
        *("sent140", '{"min_tweets_per_account": 5}'),
        lambda folder: text_files.write_tweets(
            folder / "sent140.csv.gz", text_files.tweets(300, 20)
        ),
    ),
    "gutenberg": (
        *("leaf_shakespeare", "{}"),
        lambda _: pytest.importorskip("importlib_resources", reason="TFDS prepares without it"),
    ),
}


@pytest.mark.parametrize(("name", "options", "write"), _WHOLE.values(), ids=list(_WHOLE))
@pytest.mark.parametrize("prepared", ["", "prepared"])
def test_nothing_half_written_is_used(tmp_path, address, name, options, write, prepared):
    """Killed at random moments between the end of the imports and the end of the loading."""
    folders = [tmp_path / "undisturbed", tmp_path / "disturbed"]
    for folder in folders:
        folder.mkdir()
        write(folder)
    files = {path.name: path.read_bytes() for path in folders[1].iterdir()}
    with _program(name, options, folders[0], address, prepared) as program:
        begin = time.monotonic()
        expected = _digest(program)
        seconds = time.monotonic() - begin
    moments = random.Random(name)
    for _ in range(_NUM_KILLS):
        with _program(name, options, folders[1], address, prepared) as program:
            time.sleep(seconds * moments.random())
            program.kill()
    with _program(name, options, folders[1], address, prepared) as program:
        assert _digest(program) == expected
    assert {file: (folders[1] / file).read_bytes() for file in files} == files
