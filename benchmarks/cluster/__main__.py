"""Times rounds in the program, over one Ray actor and over two, and fits a model of their costs.

    python -m benchmarks.cluster
    python -m benchmarks.cluster --repeats=15 --json=numbers.json

It prints the tables of docs/how_to/cluster.md: the rounds, their bytes, the model beside rounds
that it was not fitted to, and what it says of 100 hosts.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import pathlib
import sys

from absl import flags

from benchmarks.cluster import tables
from benchmarks.cluster.cost import CostModel
from benchmarks.cluster.rounds import CASES, measure, places
from experiments import command_line
from experiments.runs.files import write_atomically

_REPEATS = flags.DEFINE_integer(
    "repeats", 9, "Timed rounds in each place, by turns, after a warm-up.", lower_bound=1
)
_JSON = flags.DEFINE_string("json", None, "A file for the numbers.")


def main() -> None:
    """Measures all cases, and prints the tables."""
    with command_line.bad_input_ends_the_program():
        json_file = None if _JSON.value is None else pathlib.Path(_JSON.value)
        if json_file is not None and (json_file.is_dir() or not json_file.parent.is_dir()):
            raise ValueError(f"--json must be a file in a folder that is there, got {json_file}")
    measured = []
    with places() as contexts:
        for name, case in CASES.items():
            measured.append(measure(name, case, contexts, repeats=_REPEATS.value))
            print(f"{name}: {case.title}; {case.workload}", flush=True)
            gc.collect()
    fitted = [each for each in measured if CASES[each.name].fitted]
    model = CostModel.fit(seen for each in fitted for seen in each.observations())
    print(f"\n{tables.of_rounds(measured)}\n{tables.of_bytes(measured)}")
    print(f"{tables.of_coefficients(model)}\n\n{tables.of_model(model, measured)}")
    print(f"{tables.HOSTS} hosts with a client each:\n\n{tables.of_hosts(model, measured)}")
    if json_file is not None:
        numbers = {
            "model": dataclasses.asdict(model),
            "measured": [dataclasses.asdict(each) for each in measured],
        }
        write_atomically(json_file, json.dumps(numbers, indent=2) + "\n")


if __name__ == "__main__":
    sys.argv[0] = "benchmarks.cluster"  # What its messages begin with.
    command_line.run(main)
