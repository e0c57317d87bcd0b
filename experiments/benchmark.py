"""Times one round of this library beside one of TFF's own, on the same data and worker.

    python -m experiments.benchmark

The exit status is 1 when the two compute different models from the same batches.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib

from absl import flags

from experiments import command_line
from experiments.benchmarks.cases import CASES, Case, Workload
from experiments.benchmarks.measuring import Measurement, RoundTimes, measure
from experiments.run_directory import write_atomically
from tff_weights import runtime

_CASE = flags.DEFINE_enum("case", next(iter(CASES)), list(CASES), "What is measured.")
_SIZES = (
    flags.DEFINE_integer("clients", None, "Clients in the cohort; the case's.", lower_bound=1),
    flags.DEFINE_integer("examples", None, "Examples of a client; the case's.", lower_bound=1),
    flags.DEFINE_integer("epochs", None, "Local epochs; the case's.", lower_bound=1),
    flags.DEFINE_integer("batch_size", None, "Examples per step; the case's.", lower_bound=1),
)
_REPEATS = flags.DEFINE_integer(
    "repeats", 9, "Timed rounds of each, by turns, after a warm-up.", lower_bound=1
)
_JSON = flags.DEFINE_string("json", None, "A file for the numbers.")

_MEBIBYTE = 2**20


def main() -> None:
    """Measures one case and prints it."""
    case = CASES[_CASE.value]
    given = {flag.name: flag.value for flag in _SIZES if flag.value is not None}
    workload = dataclasses.replace(case.workload, **given)
    with command_line.bad_input_ends_the_program():
        json_file = pathlib.Path(_JSON.value) if _JSON.value is not None else None
        if json_file is not None and not json_file.parent.is_dir():
            raise ValueError(f"--json: there is no folder {json_file.parent}")
    with runtime.local_worker():
        measurement = measure(case, workload, repeats=_REPEATS.value)
    agrees = case.tolerance is None or measurement.largest_difference <= case.tolerance
    print(_text(case, workload, measurement))
    if json_file is not None:
        write_atomically(json_file, _json(workload, measurement))
    if not agrees:
        raise SystemExit(1)


def _text(case: Case, workload: Workload, measurement: Measurement) -> str:
    ratios = measurement.ratios
    width = max(len(times.label) for times in (measurement.subject, measurement.reference))
    lines = [
        f"{case.title}: {workload.clients} clients x {workload.examples} examples, "
        f"{workload.epochs} epochs, batches of {workload.batch_size}: "
        f"{workload.local_steps:,} local steps a round.",
        "",
        f"{'seconds a round':<{width}} {'median':>9} {'fastest':>9} {'processor':>9} {'first':>9}",
        _row(measurement.subject, width),
        _row(measurement.reference, width),
        "",
        f"Ratio: {measurement.ratio:.2f}, the median of {len(ratios)} pairs between "
        f"{min(ratios):.2f} and {max(ratios):.2f}.",
        f"Peak memory: program {measurement.memory.program / _MEBIBYTE:.0f} MiB, "
        f"worker {measurement.memory.worker / _MEBIBYTE:.0f} MiB.",
    ]
    if case.tolerance is not None:
        verdict = "agree" if measurement.largest_difference <= case.tolerance else "DIFFER"
        lines.append(
            f"Check: after one round without shuffling the models {verdict}: the largest "
            f"difference of a weight is {measurement.largest_difference:.1e}, "
            f"{case.tolerance:.0e} is allowed."
        )
    return "\n".join(lines)


def _row(times: RoundTimes, width: int) -> str:
    return (
        f"{times.label:<{width}} {times.median:>9.3f} {min(times.rounds):>9.3f} "
        f"{times.processor:>9.3f} {times.first:>9.3f}"
    )


def _json(workload: Workload, measurement: Measurement) -> str:
    numbers = {
        "case": _CASE.value,
        "workload": dataclasses.asdict(workload),
        **dataclasses.asdict(measurement),
        "ratio": measurement.ratio,
    }
    return json.dumps(numbers, indent=2) + "\n"


if __name__ == "__main__":
    command_line.run(main)
