from __future__ import annotations

import json
import sys

_SMALL = ("--clients=2", "--examples=20", "--epochs=2", "--repeats=2")

# The benchmark, but with a tolerance that no two programs meet.
_STRICT_PROGRAM = """
import dataclasses, runpy, sys
from experiments.benchmarks import cases
name, case = next(iter(cases.CASES.items()))
cases.CASES[name] = dataclasses.replace(case, tolerance=-1.0)
runpy.run_module("experiments.benchmark", run_name="__main__")
"""


def test_both_are_printed_beside_each_other(run, tmp_path):
    ended = run("benchmark", *_SMALL, f"--json={tmp_path / 'numbers.json'}")
    assert (ended.status, ended.errors) == (0, "")
    assert "2 clients x 20 examples, 2 epochs, batches of 10: 8 local steps" in ended.output
    numbers = json.loads((tmp_path / "numbers.json").read_text())
    for times in (numbers["subject"], numbers["reference"]):
        assert len(times["rounds"]) == 2
        assert f"\n{times['label']} " in ended.output
    assert f"Ratio: {numbers['ratio']:.2f}, the median of 2 pairs" in ended.output
    assert "Peak memory: program " in ended.output
    assert numbers["largest_difference"] <= 1e-5
    assert "the models agree: the largest difference of a weight is " in ended.output


def test_models_that_differ_are_status_1(start_command):
    ended = start_command(sys.executable, "-c", _STRICT_PROGRAM, *_SMALL).finish()
    assert ended.status == 1
    assert "the models DIFFER: the largest difference" in ended.output
    assert ended.errors == ""


def test_bad_input_is_one_sentence_and_status_2(run):
    ended = run("benchmark", "--json=/no/such/folder/numbers.json")
    assert ended.status == 2
    assert ended.output == ""
    assert ended.errors == "benchmark.py: --json: there is no folder /no/such/folder.\n"
