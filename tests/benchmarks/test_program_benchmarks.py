from __future__ import annotations

import json
import sys

import pytest

from benchmarks.cases import CASES

_SMALL = ("--clients=2", "--examples=20", "--epochs=2", "--repeats=2")

# The benchmark, but with a tolerance that no two programs meet.
_STRICT_PROGRAM = """
import dataclasses, runpy, sys
from benchmarks import cases
case = cases.CASES["builders/mlr"]
cases.CASES["builders/mlr"] = dataclasses.replace(case, tolerance=-1.0)
runpy.run_module("benchmarks", run_name="__main__")
"""


_BAD = {
    ("--json=/no/such/folder/n.json",): "--json: there is no folder /no/such/folder",
    ("--json=/",): "--json must be a file, got the folder /",
    ("--case=nothing",): "there is no case 'nothing'; there are the groups",
    ("--case=limits", "--clients=2"): "--clients needs a single --case, got 3",
    ("--case=evaluation", "--epochs=2"): "epochs cannot be chosen for",
    ("--epochs=1", "--steps=1"): "exactly one of epochs and steps must be given",
    ("--plot=plot.png",): "a plot needs cases of cohort, clients, model, got builders/mlr",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("benchmark")


@pytest.fixture(scope="module")
def ends(run_each, folder):
    """The program's ends: small, the list, and then those with bad input."""
    return run_each(
        "benchmarks.__main__",
        [
            [*_SMALL, f"--json={folder / 'numbers.json'}"],
            ["--list"],
            *_BAD,
        ],
    )


def test_both_are_printed_beside_each_other(ends, folder):
    ended = ends[0]
    assert (ended.status, ended.errors) == (0, "")
    header, row, *_ = ended.output.splitlines()
    assert header.startswith("case ")
    assert row.startswith("builders/mlr ")
    (numbers,) = json.loads((folder / "numbers.json").read_text())
    for times in (numbers["subject"], numbers["reference"]):
        assert len(times["rounds"]) == 2
    assert f" {numbers['value']:.2f} x as fast (" in row
    assert numbers["workload"]["examples"] == 20
    assert numbers["difference"] <= 1e-4
    assert " agree " in row


@pytest.mark.long
def test_a_plot(start_command, folder):
    """Of the only case of a group with a plot that is small enough for a test as it is."""
    plot = f"--plot={folder / 'cost.png'}"
    program = (sys.executable, "-m", "benchmarks", "--case=model/1000", "--repeats=1", plot)
    ended = start_command(*program).finish()
    assert (ended.status, ended.errors) == (0, "")
    assert ended.output.splitlines()[1].startswith("model/1000 ")
    assert (folder / "cost.png").read_bytes().startswith(b"\x89PNG")


def test_the_list_names_every_case(ends):
    ended = ends[1]
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    for name, case in CASES.items():
        at = lines.index(name)
        assert [line.strip() for line in lines[at + 1 : at + 4]] == [
            case.title,
            str(case.workload),
            f"target: {case.target}",
        ]


@pytest.mark.long
def test_models_that_differ_are_status_1(start_command):
    ended = start_command(sys.executable, "-c", _STRICT_PROGRAM, *_SMALL).finish()
    assert ended.status == 1
    assert " DIFFER " in ended.output
    assert ended.errors == ""


@pytest.mark.parametrize("place, sentence", [*enumerate(_BAD.values(), start=2)])
def test_bad_input_is_one_sentence_and_status_2(ends, place, sentence):
    ended = ends[place]
    assert (ended.status, ended.output) == (2, "")
    assert sentence in ended.errors
    assert ended.errors.count("\n") == 1
