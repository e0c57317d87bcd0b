from __future__ import annotations

import os
import platform

import pytest

from experiments.runs import environment as module
from experiments.runs.environment import environment, read_environment

_TWO_CORES = """processor\t: 0
cpu family\t: 25
model\t\t: 17
model name\t: A Processor: Fast @ 2 GHz

processor\t: 1
cpu family\t: 1
model\t\t: 1
model name\t: Another
"""


def test_what_changes_numbers_is_said():
    found = environment()
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
    ],
)
def test_the_processor_is_named_by_its_generation(tmp_path, monkeypatch, text, processor):
    """One name may stand for several: virtual machines call them all by their maker's."""
    (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(module, "_CPU_INFO", tmp_path / "cpuinfo")
    assert environment()["processor"] == processor


def test_other_systems_say_it_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_CPU_INFO", tmp_path / "none")
    monkeypatch.setattr(platform, "processor", lambda: "arm")
    assert environment()["processor"] == "arm"
    monkeypatch.setattr(platform, "processor", lambda: "")
    assert environment()["processor"] is None


def test_the_cores_that_a_process_may_use_are_counted_apart_from_the_machines(monkeypatch):
    """A process that is pinned to the cores 1 and 3 of many may use two."""
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 3}, raising=False)
    found = environment()
    assert (found["cpu_count"], found["usable_cpu_count"]) == (64, 2)
    monkeypatch.delattr(os, "sched_getaffinity")
    assert environment()["usable_cpu_count"] is None


def test_a_package_that_is_not_installed_has_no_version(monkeypatch):
    monkeypatch.setattr(module, "_PACKAGES", ("not-installed-anywhere",))
    assert environment()["not-installed-anywhere"] is None


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
