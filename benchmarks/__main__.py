"""Times rounds of this library beside others, and prints a table of their ratios.

    python -m benchmarks
    python -m benchmarks --case=all --json=numbers.json

Both contenders of a case run by turns, after a warm-up. The exit status is 1 when two that should
compute the same model do not; a target that is not met does not change it.
"""

from __future__ import annotations

import gc
import json
import logging
import pathlib
import sys

from absl import flags

from benchmarks.groups import ALL, CASES, GROUPS, chosen
from benchmarks.measuring import EXPLANATION, HEADER, Measurement, measure
from benchmarks.workload import Workload
from experiments import command_line
from experiments.runs.files import write_atomically

_CASE = flags.DEFINE_list(
    "case",
    ["builders/mlr"],
    f"What is measured, by commas: cases of --list, groups ({', '.join(GROUPS)}), or {ALL}.",
)
_LIST = flags.DEFINE_bool("list", False, "Print the cases, their sizes and targets, and end.")
_SIZES = (
    flags.DEFINE_integer("clients", None, "Clients in the cohort; the case's.", lower_bound=1),
    flags.DEFINE_integer("examples", None, "Examples of a client; the case's.", lower_bound=1),
    flags.DEFINE_integer("epochs", None, "Local epochs; the case's.", lower_bound=1),
    flags.DEFINE_integer("batch_size", None, "Examples per step; the case's.", lower_bound=1),
    flags.DEFINE_integer("steps", None, "Local steps, not epochs; the case's.", lower_bound=1),
)
_REPEATS = flags.DEFINE_integer(
    "repeats", 9, "Timed rounds of each, by turns, after a warm-up.", lower_bound=1
)
_JSON = flags.DEFINE_string("json", None, "A file for the numbers.")


def main() -> None:
    """Measures the chosen cases and prints them, each as soon as it is measured."""
    if _LIST.value:
        for name, case in CASES.items():
            print(f"{name}\n    {case.title}\n    {case.workload}\n    target: {case.target}")
        return
    with command_line.bad_input_ends_the_program():
        workloads = _workloads()
        json_file = None if _JSON.value is None else pathlib.Path(_JSON.value)
        if json_file is not None and (json_file.is_dir() or not json_file.parent.is_dir()):
            raise ValueError(f"--json must be a file in a folder that is there, got {json_file}")
    # Building process after process, TensorFlow warns of functions that are traced again, and calls
    # it an error that TFF's secure sums do not use some of their operations.
    logging.getLogger("tensorflow").setLevel(logging.CRITICAL)
    print(HEADER, flush=True)
    measured: list[Measurement] = []
    for name, workload in workloads.items():
        measured.append(measure(name, CASES[name], workload, repeats=_REPEATS.value))
        print(measured[-1].row(), flush=True)
        if json_file is not None:  # So that a run that is ended early leaves what it has.
            numbers = [measurement.numbers() for measurement in measured]
            write_atomically(json_file, json.dumps(numbers, indent=2) + "\n")
        gc.collect()
    print(f"\n{EXPLANATION}")
    if any(measurement.agrees is False for measurement in measured):
        raise SystemExit(1)


def _workloads() -> dict[str, Workload]:
    """Returns the chosen cases with their sizes.

    Raises:
        ValueError: If a case is unknown, or sizes are wrong or given for several cases.
    """
    names = chosen(_CASE.value)
    sizes = {flag.name: flag.value for flag in _SIZES if flag.value is not None}
    if sizes and len(names) > 1:
        raise ValueError(f"--{next(iter(sizes))} needs a single --case, got {len(names)}")
    return {name: CASES[name].resized(**sizes) for name in names}


if __name__ == "__main__":
    sys.argv[0] = "benchmarks"  # What its messages begin with.
    command_line.run(main)
