"""Programs that are killed while they prepare data: the next one ends as if nothing had been."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import zipfile
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


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(name="address", scope="module")
def _address(tmp_path_factory) -> Iterator[str]:
    """Where a small text takes the place of Project Gutenberg's."""
    folder = tmp_path_factory.mktemp("served")
    with zipfile.ZipFile(folder / "1994-01-100.zip", "w") as file:
        file.writestr("100.txt", text_files.GUTENBERG_TEXT)
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/1994-01-100.zip"
        server.shutdown()


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


def _digest(program: subprocess.Popen[str]) -> str:
    """What it prints of the data set; TFDS prints what it does."""
    return next(line for line in program.stdout if line.startswith("digest"))


def _write_mnist(folder: pathlib.Path) -> None:
    image_files.write_npz(folder / "mnist.npz")


def _write_letters(folder: pathlib.Path) -> None:
    image_files.write_npz(folder / "letters.npz", num_classes=36, per_class=60)


def _write_plays(folder: pathlib.Path) -> None:
    text_files.write_plays(folder / "shakespeare_plays.json.gz", text_files.plays(30))


def _write_tweets(folder: pathlib.Path) -> None:
    text_files.write_tweets(folder / "sent140.csv.gz", text_files.tweets(300, 20))


def _write_nothing(folder: pathlib.Path) -> None:
    pytest.importorskip("importlib_resources", reason="TFDS prepares nothing without it")


@pytest.mark.parametrize(
    ("name", "options", "write"),
    [
        ("mnist", '{"num_clients": 20}', _write_mnist),
        ("femnist", '{"num_clients": 10}', _write_letters),
        ("leaf_shakespeare", "{}", _write_plays),
        ("sent140", '{"min_tweets_per_account": 5}', _write_tweets),
        ("leaf_shakespeare", "{}", _write_nothing),
    ],
    ids=["mnist", "femnist", "plays", "sent140", "gutenberg"],
)
def test_nothing_half_written_is_used(tmp_path, address, name, options, write):
    """Killed at random moments between the end of the imports and that of the loading."""
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    for folder in (undisturbed, disturbed):
        folder.mkdir()
        write(folder)
    files = {path.name: path.read_bytes() for path in disturbed.iterdir()}
    with _program(name, options, undisturbed, address) as program:
        begin = time.monotonic()
        expected = _digest(program)
        seconds = time.monotonic() - begin
    moments = random.Random(name)
    for _ in range(_NUM_KILLS):
        with _program(name, options, disturbed, address) as program:
            time.sleep(seconds * moments.random())
            program.kill()
    with _program(name, options, disturbed, address) as program:
        assert _digest(program) == expected
    assert {file: (disturbed / file).read_bytes() for file in files} == files


def test_nothing_half_prepared_is_used(tmp_path, address):
    """Most of the time goes into writing TFF's SQLite files, so that most of the kills do, too."""
    image_files.write_npz(tmp_path / "mnist.npz", per_class=1000)
    arguments = ("mnist", "{}", tmp_path, address)
    with _program(*arguments) as program:
        expected = _digest(program)
    with _program(*arguments, "undisturbed") as program:
        begin = time.monotonic()
        assert _digest(program) == expected
        seconds = time.monotonic() - begin
    moments = random.Random("prepared")
    for _ in range(_NUM_KILLS):
        with _program(*arguments, "disturbed") as program:
            time.sleep(seconds * moments.random())
            program.kill()
    begun = list((tmp_path / "disturbed").glob(".mnist-*.incomplete.*/train.sqlite"))
    assert begun, "no kill came while the files were written"
    with _program(*arguments, "disturbed") as program:
        assert _digest(program) == expected
    (tmp_path / "mnist.npz").unlink()
    with _program(*arguments, "disturbed") as program:
        assert _digest(program) == expected
