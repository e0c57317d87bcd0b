from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import types
from importlib import metadata

import pytest

from experiments import start_up
from experiments.runs import environment as module
from experiments.runs.environment import (
    ONE_DNN_VARIABLE,
    THREADS_VARIABLE,
    Arithmetic,
    arithmetic,
    environment,
    read_environment,
    recorded_arithmetic,
)

_PRINT = "import os, experiments; print(os.environ[{!r}])"
_TWO_CORES = """cpu family\t: 25
model\t\t: 17
model name\t: A Processor: Fast @ 2 GHz

cpu family\t: 1
model\t\t: 1
model name\t: Another
"""


@pytest.mark.parametrize(
    ("text", "processor"),
    [
        (_TWO_CORES, "A Processor: Fast @ 2 GHz (family 25, model 17)"),
        ("CPU part : 0xd0c\n", platform.machine()),
        (None, "arm"),
    ],
)
def test_the_processor_is_named_by_its_generation(tmp_path, monkeypatch, text, processor):
    """One name may stand for several: virtual machines call them all by their maker's.

    Systems without Linux' file say it themselves, or nothing.
    """
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(module, "_CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(platform, "processor", lambda: processor)
    assert environment()["processor"] == processor
    assert start_up.version_of("not-installed") is None


def test_there_are_as_many_threads_on_every_machine_unless_somebody_chooses(monkeypatch):
    monkeypatch.delenv(THREADS_VARIABLE)
    command = [sys.executable, "-c", _PRINT.format(THREADS_VARIABLE)]
    assert subprocess.check_output(command).strip() == b"2"
    monkeypatch.setenv(THREADS_VARIABLE, "7")
    assert subprocess.check_output(command).strip() == b"7"
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    found = environment()
    assert (found["cpu_count"], found["intra_op_threads"]) == (64, 7)
    for text in ("0", "two", "1.5"):
        monkeypatch.setenv(THREADS_VARIABLE, text)
        with pytest.raises(ValueError, match=f"must be a whole number from 1 on, got '{text}'$"):
            arithmetic()


def test_one_dnn_computes_on_every_processor_unless_somebody_switches_it_off(monkeypatch):
    monkeypatch.delenv(ONE_DNN_VARIABLE)
    command = [sys.executable, "-c", _PRINT.format(ONE_DNN_VARIABLE)]
    assert subprocess.check_output(command).strip() == b"1"
    for text, is_on in (("0", False), ("False", False), ("1", True)):
        monkeypatch.setenv(ONE_DNN_VARIABLE, text)
        assert environment()["one_dnn"] is is_on


@pytest.mark.parametrize(
    ("recorded", "num_threads"),
    [
        ({"intra_op_threads": 3, "cpu_count": 64}, 3),
        ({"usable_cpu_count": 1, "cpu_count": 2}, 1),
        ({"usable_cpu_count": None, "cpu_count": 4}, 4),
        ({}, 7),
    ],
)
def test_runs_that_do_not_say_their_threads_had_one_for_each_core_they_could_use(
    monkeypatch, recorded, num_threads
):
    monkeypatch.setenv(THREADS_VARIABLE, "7")
    assert recorded_arithmetic(recorded) == Arithmetic(num_threads, one_dnn=True)


def test_runs_that_do_not_say_so_computed_with_one_dnn_where_tensorflow_does_by_itself():
    """AMD's family 23 has none of the instructions that it looks for."""
    old, new = "AMD EPYC (family 23, model 49)", "AMD EPYC (family 25, model 17)"
    for processor, is_on in ((old, False), (new, True), (None, True)):
        assert recorded_arithmetic({"processor": processor}).one_dnn is is_on
    assert recorded_arithmetic({"processor": old, "one_dnn": True}).one_dnn
    given = {THREADS_VARIABLE: "3", ONE_DNN_VARIABLE: "0"}
    assert Arithmetic(3, one_dnn=False).variables() == given


def test_what_is_missing_or_damaged_says_nothing(tmp_path):
    path = tmp_path / "environment.json"
    assert read_environment(path) == {}
    for content in ("[]", "no JSON"):
        path.write_text(content)
        assert read_environment(path) == {}


@pytest.fixture(autouse=True)
def forget():
    """What is asked once is not asked again."""
    module.revision.cache_clear()
    yield
    module.revision.cache_clear()


def _git(root, *arguments):
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(root), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The folder in which the software lies, with one module and a page, and no commit."""
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    (tmp_path / "tff_weights").mkdir()
    (tmp_path / "README.md").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "note"), [("README.md", ""), ("tff_weights/new.py", " with changes")]
)
def test_a_checkout_is_named_by_its_commit_and_whether_its_sources_differ(root, changed, note):
    _git(root, "init", "--quiet")
    assert module.revision() is None  # Without a commit.
    module.revision.cache_clear()
    _git(root, "add", ".")
    _git(root, "commit", "--quiet", "--message=First")
    (root / changed).write_text("changed = True\n")
    commit = _git(root, "rev-parse", "HEAD")
    assert len(commit) == 40
    assert module.revision() == environment()["revision"] == f"{commit}{note}"


def test_a_package_installed_from_a_repository_knows_its_commit(root, monkeypatch):
    for facts, found in (({"vcs_info": {"commit_id": "1" * 40}}, "1" * 40), ({}, None)):
        installed = types.SimpleNamespace(read_text=lambda _, facts=facts: json.dumps(facts))
        monkeypatch.setattr(metadata, "distribution", lambda _, it=installed: it)
        module.revision.cache_clear()
        assert module.revision() == found
    monkeypatch.undo()
    monkeypatch.setattr(module, "_ROOT", root)
    monkeypatch.setattr(module, "_DISTRIBUTION", "not-installed-anywhere")
    module.revision.cache_clear()
    assert module.revision() is None
