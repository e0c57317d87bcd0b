from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import types
from importlib import metadata

import pytest

from experiments.runs import environment as module
from experiments.runs.environment import (
    environment,
    intra_op_threads,
    read_environment,
    recorded_intra_op_threads,
)

_VARIABLE = "TF_NUM_INTRAOP_THREADS"
_TWO_CORES = """processor\t: 0
cpu family\t: 25
model\t\t: 17
model name\t: A Processor: Fast @ 2 GHz

processor\t: 1
cpu family\t: 1
model\t\t: 1
model name\t: Another
"""


def test_what_changes_numbers_is_said(monkeypatch):
    monkeypatch.setattr(module, "_PACKAGES", (*module._PACKAGES, "not-installed"))
    found = environment()
    assert found["not-installed"] is None
    assert found["python"] == platform.python_version()
    assert found["cpu_count"] == os.cpu_count()
    assert (found["tensorflow"], found["tensorflow-federated"]) == ("2.14.1", "0.87.0")


@pytest.mark.parametrize(
    ("text", "processor"),
    [
        (_TWO_CORES, "A Processor: Fast @ 2 GHz (family 25, model 17)"),
        ("model name : A Processor\n", "A Processor"),
        ("CPU part : 0xd0c\n", platform.machine()),
        ("", platform.machine()),
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


def _print(*statements, **variables):
    """Runs a program that imports the package, and returns the number that it prints."""
    inherited = {name: value for name, value in os.environ.items() if name != _VARIABLE}
    command = [sys.executable, "-c", "; ".join(["import os, experiments", *statements])]
    return int(subprocess.check_output(command, env={**inherited, **variables}))


def test_there_are_as_many_threads_on_every_machine_unless_somebody_chooses(monkeypatch):
    show = f"print(os.environ[{_VARIABLE!r}])"
    assert (_print(show), _print(show, **{_VARIABLE: "7"})) == (2, 7)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setenv(_VARIABLE, "7")
    found = environment()
    assert (found["cpu_count"], found["intra_op_threads"]) == (64, 7)


@pytest.mark.long
def test_tensorflow_has_as_many_threads():
    """Five are three more than two; it has others beside them."""
    compute = "import psutil, tensorflow as tf; tf.zeros(2).numpy()"
    count = "print(psutil.Process().num_threads())"
    numbers = [_print(compute, count, **{_VARIABLE: text}) for text in ("5", "2")]
    assert numbers[0] - numbers[1] == 3


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", ""])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch, text):
    monkeypatch.setenv(_VARIABLE, text)
    with pytest.raises(ValueError, match=f"must be a whole number from 1 on, got '{text}'$"):
        intra_op_threads()


@pytest.mark.parametrize(
    ("recorded", "threads"),
    [
        ({"intra_op_threads": 3, "cpu_count": 64}, 3),
        ({"usable_cpu_count": 1, "cpu_count": 2}, 1),
        ({"usable_cpu_count": None, "cpu_count": 2}, 2),
        ({}, None),
    ],
)
def test_runs_that_do_not_say_their_threads_had_one_for_each_core_they_could_use(recorded, threads):
    assert recorded_intra_op_threads(recorded) == threads


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('{"python": "3.11", "data_origin": null}', {"python": "3.11", "data_origin": None}),
        ("[]", {}),
        ("no JSON", {}),
        (None, {}),
    ],
)
def test_what_is_missing_or_damaged_says_nothing(tmp_path, content, found):
    path = tmp_path / "environment.json"
    if content is not None:
        path.write_text(content)
    assert read_environment(path) == found


@pytest.fixture(autouse=True)
def forget():
    """What is asked once is not asked again."""
    module.revision.cache_clear()
    yield
    module.revision.cache_clear()


def _git(root, *arguments):
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(root), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The folder in which the software lies, with one module and a page, and no commit."""
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    (tmp_path / "tff_weights").mkdir()
    (tmp_path / "tff_weights" / "uniform.py").write_text("")
    (tmp_path / "README.md").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "note"),
    [
        ("README.md", ""),
        ("notes.txt", ""),
        ("tff_weights/uniform.py", " with changes"),
        ("tff_weights/new.py", " with changes"),
    ],
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


def test_without_git_nothing_is_said(root, monkeypatch):
    _git(root, "init", "--quiet")
    monkeypatch.setenv("PATH", str(root / "nowhere"))
    assert module.revision() is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps({"vcs_info": {"vcs": "git", "commit_id": "1" * 40}}), "1" * 40),
        (json.dumps({"dir_info": {"editable": True}}), None),
        (None, None),
    ],
)
def test_a_package_installed_from_a_repository_knows_its_commit(root, monkeypatch, text, found):
    installed = types.SimpleNamespace(read_text={"direct_url.json": text}.__getitem__)
    monkeypatch.setattr(metadata, "distribution", lambda name: installed)
    assert module.revision() == found
    monkeypatch.setattr(metadata, "distribution", metadata.Distribution.from_name)
    monkeypatch.setattr(module, "_DISTRIBUTION", "not-installed-anywhere")
    module.revision.cache_clear()
    assert module.revision() is None
