from __future__ import annotations

import json

import pytest

from benchmarks.groups import CASES

_SMALL = ("--clients=2", "--examples=20", "--epochs=2", "--repeats=2")

# The benchmark, but with a tolerance that no two programs meet.
_STRICT_PROGRAM = """
import dataclasses, runpy
from benchmarks.groups import CASES
CASES["builders/mlr"] = dataclasses.replace(CASES["builders/mlr"], tolerance=-1.0)
runpy.run_module("benchmarks", run_name="__main__")
"""

_BAD = {
    ("--json=/no/such/folder/n.json",): "--json",
    ("--json=/",): "--json",
    ("--case=nothing",): "'nothing'",
    ("--case=limits", "--clients=2"): "--clients",
    ("--case=evaluation", "--epochs=2"): "epochs",
    ("--epochs=1", "--steps=1"): "steps",
}


def test_both_are_printed_beside_each_other(run, tmp_path):
    ended = run("benchmarks.__main__", *_SMALL, f"--json={tmp_path / 'numbers.json'}")
    assert (ended.status, ended.errors) == (0, "")
    header, _, row, *_ = ended.output.splitlines()
    assert header.startswith("| case ")
    assert row.startswith("| builders/mlr ")
    (numbers,) = json.loads((tmp_path / "numbers.json").read_text())
    for times in (numbers["subject"], numbers["reference"]):
        assert len(times["rounds"]) == 2
    assert f" {numbers['value']:.2f} x as fast (" in row
    assert numbers["workload"]["examples"] == 20
    assert numbers["difference"] <= 1e-4
    assert " agree " in row


def test_the_list_names_every_case(run):
    ended = run("benchmarks.__main__", "--list")
    assert (ended.status, ended.errors) == (0, "")
    for name, case in CASES.items():
        assert f"{name}\n    {case.title}\n" in ended.output


@pytest.mark.long
def test_models_that_differ_are_status_1(run_python):
    ended = run_python(_STRICT_PROGRAM, *_SMALL)
    assert ended.status == 1
    assert " DIFFER " in ended.output
    assert ended.errors == ""


def test_bad_input_is_one_sentence_and_status_2(run):
    for flags, named in _BAD.items():
        ended = run("benchmarks.__main__", *flags)
        assert (ended.status, ended.output) == (2, "")
        assert named in ended.errors
        assert ended.errors.count("\n") == 1
