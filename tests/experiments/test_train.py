"""The program that trains: what it says, how it ends, and that a killed run continues."""

from __future__ import annotations

import pathlib
import re
import signal
import sys

import pytest

from experiments.runs import training
from experiments.runs.configure import configure

_TABLES = ("metrics.csv", "clients.csv", "result.json")

# Trains until the file named by the first argument is about to be replaced for the n-th time, where
# n is the second argument, and is killed then. The new contents lie beside it.
_DYING_PROGRAM = """
import os, runpy, signal, sys
import experiments  # First, because it silences TensorFlow.
import tensorflow as tf

name, count = sys.argv[1], int(sys.argv[2])
def dying(rename):
    def rename_or_die(source, target, *arguments, **keywords):
        global count
        if os.path.basename(target).startswith(name):
            count -= 1
            if count == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return rename(source, target, *arguments, **keywords)
    return rename_or_die

tf.io.gfile.rename = dying(tf.io.gfile.rename)
os.replace = dying(os.replace)
sys.argv = ["train.py", *sys.argv[3:]]
runpy.run_module("experiments.train", run_name="__main__")
"""


def _tables(directory: pathlib.Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in _TABLES}


def _uninterrupted(path: pathlib.Path, algorithm: str, **given) -> dict[str, bytes]:
    configuration = configure(algorithm, "synthetic_1_1", given)
    training.prepare(configuration, path).execute(show_progress=False)
    return _tables(path)


@pytest.mark.long
def test_a_run_that_is_killed_ends_as_if_it_never_was(start, start_command, tmp_path):
    """While it writes its table, a checkpoint, and the table of clients at the end."""
    path = tmp_path / "run"
    flags = ("--algorithm=scaffold", f"--output_dir={path}", "--resume", "--rounds=20", "--steps=3")
    flags = (*flags, "--clients_per_round=3", "--rounds_per_checkpoint=3")
    for name, count in (("metrics.csv", 4), ("program_state_", 2), ("clients.csv", 1)):
        program = start_command(sys.executable, "-c", _DYING_PROGRAM, name, str(count), *flags)
        assert program.finish().status == -signal.SIGKILL
    ended = start("train", *flags).finish()
    assert ended.status == 0 and "Traceback" not in ended.errors
    first, second, third = ended.output.splitlines()
    assert first.startswith("Test accuracy over 30 clients: average ")
    memory = r"Peak memory: program [0-9,]+ MiB\."
    assert re.fullmatch(rf"Seconds per round: [0-9.e-]+\. {memory}", second)
    assert third == f"Written to {path}."
    assert not list(path.glob("**/*temp*"))
    given = {"rounds": 20, "steps": 3, "clients_per_round": 3}
    assert _tables(path) == _uninterrupted(tmp_path / "whole", "scaffold", **given)


@pytest.mark.long
def test_a_pipe_that_is_closed_early_ends_the_program(start_command, tmp_path):
    program = start_command(
        "bash",
        "-c",
        f"set -o pipefail; {sys.executable} -m experiments.train --algorithm=fed_avg --rounds=1 "
        f"--epochs=1 --output_dir={tmp_path / 'run'} | head -n 1",
    )
    ended = program.finish()
    assert ended.status == 0
    assert ended.output.startswith("Test accuracy over 30 clients")
    assert len(ended.output.splitlines()) == 1
    assert "Traceback" not in ended.errors
