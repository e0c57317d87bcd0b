r"""Trains one algorithm on one federated data set.

    python -m experiments.train --algorithm=fed_fa --dataset=synthetic_1_1 --rounds=100 \
        --output_dir=results/fed_fa

    python -m experiments.train --configuration=results/fed_fa --model_seed=2 \
        --output_dir=results/other

Every hyperparameter that is not given has the paper's value for the data set, and all of them are
written beside the results. --configuration reads them from a file or from a finished run. A run
that was interrupted continues with --resume.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from absl import flags

from experiments import command_line
from experiments.command_line import run_flags, shared_flags
from experiments.runs.configure import ResolvedRun

if TYPE_CHECKING:
    from tff_weights import runtime

_OUTPUT_DIR = shared_flags.define_path(
    "output_dir", None, "The run's own folder; it is made.", required=True
)
_RESUME = flags.DEFINE_bool("resume", False, "Go on with the run that the folder already holds.")
_ROUNDS_PER_CHECKPOINT = flags.DEFINE_integer(
    "rounds_per_checkpoint", 10, "Every how many rounds the state is saved.", lower_bound=1
)
_COHORT_WORKERS = flags.DEFINE_integer(
    "cohort_workers",
    None,
    "Over how many Ray actors the clients are spread, each a process with a processor of its own; "
    "by default they train in this program.",
    lower_bound=1,
)
_RAY_ADDRESS = flags.DEFINE_string(
    "ray_address",
    None,
    "The Ray cluster, HOST:PORT, whose machines run --cohort_workers; this machine by default. "
    "They must have this software. Where clients keep files, they must share --output_dir.",
)
shared_flags.define("data_dir", "prepared_dir", "papers", "device")
run_flags.define()
flags.adopt_module_key_flags(run_flags)

read_flags = run_flags.resolved_run
_MEBIBYTE = 2**20
_SHOWN = ("num_clients", "average", "worst_20", "best_20", "variance")


def main(run: ResolvedRun) -> None:
    """Runs it."""
    from experiments.runs import dropped_clients, resource_use, training
    from tff_weights import runtime

    with command_line.bad_input_ends_the_program():
        runtime.use(_runtime_options())
        prepared = training.prepare(
            run, _OUTPUT_DIR.value, resume=_RESUME.value, **shared_flags.data_folders()
        )
    if prepared.recovery is not None:
        print(f"{prepared.recovery}.", file=sys.stderr)
    result = prepared.execute(rounds_per_checkpoint=_ROUNDS_PER_CHECKPOINT.value)
    seconds = prepared.directory.read_seconds()
    memory = resource_use.peak_memory()
    said = [] if seconds is None else [f"Seconds per round: {seconds.training:.3g}."]
    said += [] if memory is None else [f"Peak memory: {memory / _MEBIBYTE:,.0f} MiB."]
    print(f"{_fairness(run, result)}\n{' '.join(said)}\nWritten to {_OUTPUT_DIR.value}.")
    for sentence in dropped_clients.sentences(run.configuration, result):
        print(sentence)


def _runtime_options() -> runtime.RuntimeOptions:
    """Returns where the clients are trained."""
    from tff_weights import runtime

    options = shared_flags.runtime_options()
    if _COHORT_WORKERS.value is None:
        if _RAY_ADDRESS.value is not None:
            raise ValueError("--ray_address says where --cohort_workers run: give both")
        return options
    # An actor would take a GPU for itself, so it must be requested.
    device = "cpu" if options.device == "auto" else options.device
    return runtime.ClusterOptions(
        workers=_COHORT_WORKERS.value,
        address=_RAY_ADDRESS.value,
        program=dataclasses.replace(options, device=device, client_threads=1),
    )


def _fairness(run: ResolvedRun, result: Mapping[str, Any]) -> str:
    """Says the result on the clients' test or validation examples: accuracy, or loss, metrics."""
    of = "Test" if run.configuration.validation_fraction is None else "Validation"
    if "test_average" in result:
        return (
            f"{of} accuracy over {result['test_num_clients']} clients: "
            f"average {result['test_average']:.2f} %, worst 20 % {result['test_worst_20']:.2f} %, "
            f"best 20 % {result['test_best_20']:.2f} %, variance {result['test_variance']:.1f}."
        )
    ending = "_num_clients"
    names = (name.removesuffix(ending) for name in result if name.endswith(ending))
    return "\n".join(
        "{} over {} clients: average {:.4g}, worst 20 % {:.4g}, best 20 % {:.4g}, "
        "variance {:.4g}.".format(
            name.replace("test", of.lower(), 1), *(result[f"{name}_{each}"] for each in _SHOWN)
        )
        for name in names
    )


if __name__ == "__main__":
    command_line.run(main, read_flags)
