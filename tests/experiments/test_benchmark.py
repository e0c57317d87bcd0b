from __future__ import annotations

import json
import sys

from experiments.benchmarks.cases import CASES

_SMALL = ("--clients=2", "--examples=20", "--epochs=2", "--repeats=2")

# The benchmark, but with a tolerance that no two programs meet.
_STRICT_PROGRAM = """
import dataclasses, runpy, sys
from experiments.benchmarks import cases
case = cases.CASES["builders/mlr"]
cases.CASES["builders/mlr"] = dataclasses.replace(case, tolerance=-1.0)
runpy.run_module("experiments.benchmark", run_name="__main__")
"""


def test_both_are_printed_beside_each_other(run, tmp_path):
    ended = run("benchmark", *_SMALL, f"--json={tmp_path / 'numbers.json'}")
    assert (ended.status, ended.errors) == (0, "")
    header, row, *_ = ended.output.splitlines()
    assert header.startswith("case ")
    assert row.startswith("builders/mlr ")
    (numbers,) = json.loads((tmp_path / "numbers.json").read_text())
    for times in (numbers["subject"], numbers["reference"]):
        assert len(times["rounds"]) == 2
    assert f" {numbers['value']:.2f} x as fast (" in row
    assert numbers["workload"]["examples"] == 20
    assert numbers["difference"] <= 1e-4
    assert " agree " in row


def test_several_cases_with_a_plot(run, tmp_path):
    plot = tmp_path / "cost.png"
    # The only cases small enough for a test as they are.
    ended = run("benchmark", "--case=model/1000,model/10000", "--repeats=1", f"--plot={plot}")
    assert (ended.status, ended.errors) == (0, "")
    assert [line.split(" ")[0] for line in ended.output.splitlines()[1:3]] == [
        "model/1000",
        "model/10000",
    ]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_the_list_names_every_case(run_each):
    (ended,) = run_each("benchmark", [["--list"]])
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    for name, case in CASES.items():
        at = lines.index(name)
        assert [line.strip() for line in lines[at + 1 : at + 4]] == [
            case.title,
            str(case.workload),
            f"target: {case.target}",
        ]


def test_models_that_differ_are_status_1(start_command):
    ended = start_command(sys.executable, "-c", _STRICT_PROGRAM, *_SMALL).finish()
    assert ended.status == 1
    assert " DIFFER " in ended.output
    assert ended.errors == ""


def test_bad_input_is_one_sentence_and_status_2(run, run_each):
    cases = [
        (["--json=/no/such/folder/n.json"], "--json: there is no folder /no/such/folder"),
        (["--case=nothing"], "there is no case 'nothing'; there are the groups"),
        (["--case=limits", "--clients=2"], "--clients needs a single --case, got 3"),
        (["--case=evaluation", "--epochs=2"], "epochs cannot be chosen for"),
        (["--epochs=1", "--steps=1"], "exactly one of epochs and steps must be given"),
        (["--plot=plot.png"], "a plot needs cases of cohort, clients, model, got builders/mlr"),
    ]
    ends = run_each("benchmark", [flags for flags, _ in cases])
    for (_, sentence), ended in zip(cases, ends):
        assert ended.status == 2
        assert ended.output == ""
        assert ended.errors.startswith(f"benchmark.py: {sentence}")
        assert ended.errors.count("\n") == 1
    assert run("benchmark", *cases[0][0]) == ends[0]  # As users start it.
