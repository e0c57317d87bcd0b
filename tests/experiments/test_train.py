"""The program that trains: what it says, how it ends, and that any end can be gone on from."""

from __future__ import annotations

import concurrent.futures
import pathlib
import re
import signal
import sys
import time

import pytest

from experiments.runs import training
from experiments.runs.configure import configure
from experiments.runs.run_directory import RunDirectory

_TABLES = ("metrics.csv", "clients.csv", "result.json")
_START_TIMEOUT_SECONDS = 120
_SCAFFOLD = ("--rounds=20", "--steps=3", "--clients_per_round=3", "--rounds_per_checkpoint=3")

# Trains, and is killed when the file named by the first argument is about to get its place for the
# n-th time, n being the second argument: its contents lie beside it, under a temporary name.
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


def _wait_for_round(directory: RunDirectory, round_number: int, program) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while program.running and time.monotonic() < deadline:
        if directory.metrics.exists():
            rows = directory.metrics.read_text().splitlines()[1:]
            if rows and int(rows[-1].split(",")[0]) >= round_number:
                return
        time.sleep(0.02)
    assert program.running, program.finish()
    raise AssertionError("The program did not get there in time.")


class _Chain:
    """One run, ended again and again, and each time gone on with."""

    def __init__(self, start, start_command, path: pathlib.Path, *flags: str):
        self._start = start
        self._start_command = start_command
        self._directory = RunDirectory(path)
        self._flags = ("--dataset=synthetic_1_1", f"--output_dir={path}", "--resume", *flags)

    def is_killed_while_writing(self, file_name: str, count: int = 1) -> None:
        program = self._start_command(
            sys.executable, "-c", _DYING_PROGRAM, file_name, str(count), *self._flags
        )
        assert program.finish().status == -signal.SIGKILL

    def is_interrupted(self, *, after_round: int) -> None:
        program = self._start("train", *self._flags)
        _wait_for_round(self._directory, after_round, program)
        program.signal(signal.SIGINT, whole_group=True)
        ended = program.finish()
        assert ended.status == 130
        assert ended.errors.endswith("\nInterrupted.\n")
        assert "Traceback" not in ended.errors

    def ends(self) -> dict[str, bytes]:
        ended = self._start("train", *self._flags).finish()
        assert ended.status == 0
        assert "Traceback" not in ended.errors
        lines = ended.output.splitlines()
        assert len(lines) == 3
        assert lines[0].startswith("Test accuracy over 30 clients: average ")
        memory = r"Peak memory: [0-9,]+ MiB\."
        assert re.fullmatch(rf"Seconds per round: [0-9.e-]+\. {memory}", lines[1])
        assert lines[2] == f"Written to {self._directory.path}."
        assert not list(self._directory.path.glob("**/*temp*"))
        return _tables(self._directory.path)


@pytest.mark.long
def test_a_run_that_is_killed_ends_as_if_it_never_was(start, start_command, tmp_path):
    chain = _Chain(start, start_command, tmp_path / "run", "--algorithm=scaffold", *_SCAFFOLD)
    chain.is_killed_while_writing("metrics.csv", 4)
    whole = _uninterrupted(tmp_path / "whole", "scaffold", rounds=20, steps=3, clients_per_round=3)
    assert chain.ends() == whole


@pytest.mark.long
def test_runs_that_are_killed_side_by_side_end_as_if_they_never_were(
    start, start_command, tmp_path
):
    """Two runs, each killed several times and gone on with."""

    def fed_fa() -> dict[str, bytes]:
        chain = _Chain(
            start,
            start_command,
            tmp_path / "fed_fa",
            "--algorithm=fed_fa",
            "--rounds=6",
            "--epochs=1",
            "--rounds_per_checkpoint=1",
        )
        chain.is_killed_while_writing("metrics.csv", 4)
        chain.is_killed_while_writing("clients.csv")
        return chain.ends()

    def scaffold() -> dict[str, bytes]:
        chain = _Chain(
            start, start_command, tmp_path / "scaffold", "--algorithm=scaffold", *_SCAFFOLD
        )
        chain.is_interrupted(after_round=2)
        chain.is_killed_while_writing("program_state_", 2)
        return chain.ends()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        chains = [pool.submit(fed_fa), pool.submit(scaffold)]
    assert chains[0].result() == _uninterrupted(
        tmp_path / "whole_fed_fa", "fed_fa", rounds=6, epochs=1
    )
    assert chains[1].result() == _uninterrupted(
        tmp_path / "whole_scaffold", "scaffold", rounds=20, steps=3, clients_per_round=3
    )


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """A directory that holds a run of one round."""
    path = tmp_path_factory.mktemp("train") / "held"
    _uninterrupted(path, "fed_avg", rounds=1, epochs=1)
    return path


def _bad_inputs(held: pathlib.Path) -> dict[str, str]:
    """From flags to what the sentence must name."""
    embeddings = "--dataset=sent140 --embeddings=learned --dataset_option=embeddings=learned"
    return {
        "--dataset=mnits": "--dataset=mnits",
        "--algorithm=fed_average": "got 'fed_average'",
        "--q=2": "q is not used by fed_avg",
        "--learning_rate=nan": "learning_rate must be",
        "--colour=red": "colour",
        "--model=le_net": "must be one of logistic_regression",
        f"--step_budget_of={held}": "must be a run of fed_veca",
        f"--steps=2 --step_budget_of={held}": "--steps and --step_budget_of both set the steps",
        "--lengthened_at=3": "lengthened_at is not used by fed_avg",
        "--dataset_option=sigma=1": "dataset_option is 'sigma=1'",
        embeddings: "--embeddings and --dataset_option=embeddings=... say the same",
        "--ray_address=127.0.0.1:1": "--cohort_workers run: give both",
        "--cohort_workers=2 --ray_address=127.0.0.1:1": "nothing answers at '127.0.0.1:1'",
        f"--rounds=1 --epochs=2 --resume --output_dir={held}": "epochs: 1 there, 2.0 here",
    }


def test_bad_input_is_one_sentence_and_status_2(run_each, tmp_path, held):
    before = {path: path.stat().st_mtime_ns for path in held.rglob("*")}
    new = tmp_path / "new"
    cases = _bad_inputs(held)
    ends = run_each(
        "train", [(f"--output_dir={new}", "--algorithm=fed_avg", *flags.split()) for flags in cases]
    )
    for named, ended in zip(cases.values(), ends):
        assert ended.status == 2, ended.errors
        assert named in ended.errors
        assert len(ended.errors.splitlines()) == 1
        assert ended.output == ""
    assert not new.exists()
    assert {path: path.stat().st_mtime_ns for path in held.rglob("*")} == before


@pytest.mark.long
def test_a_file_that_cannot_grow_is_a_sentence_and_can_be_gone_on_from(
    start_command, start, tmp_path
):
    """As on a full disk: no file may be larger than 8 KiB, half of what the checkpoint takes."""
    flags = (
        "--algorithm=fed_avg",
        "--rounds=4",
        "--steps=1",
        "--rounds_per_checkpoint=1",
        f"--output_dir={tmp_path / 'run'}",
    )
    command = " ".join([sys.executable, "-m", "experiments.train", *flags])
    ended = start_command("bash", "-c", f"ulimit -f 8; exec {command}").finish()
    assert ended.status == 1
    last = ended.errors.splitlines()[-1]
    assert "File too large" in last and last.endswith("--resume from its last checkpoint.")
    assert "Traceback" not in ended.errors
    assert start("train", *flags, "--resume").finish().status == 0
    expected = _uninterrupted(tmp_path / "whole", "fed_avg", rounds=4, steps=1)
    assert _tables(tmp_path / "run") == expected


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
