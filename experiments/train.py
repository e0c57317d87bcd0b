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

import sys
from collections.abc import Mapping
from typing import Any

from absl import flags

from experiments import command_line
from experiments.command_line import cluster_flags, data_folders, papers_flag, run_flags
from experiments.runs.configuration import RunConfiguration

_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "The run's own folder; it is made.", required=True
)
_RESUME = flags.DEFINE_bool("resume", False, "Go on with the run that the folder already holds.")
_DATA_DIR = data_folders.define_data_dir()
_PREPARED_DIR = data_folders.define_prepared_dir()
_ROUNDS_PER_CHECKPOINT = flags.DEFINE_integer(
    "rounds_per_checkpoint", 10, "Every how many rounds the state is saved.", lower_bound=1
)
flags.adopt_module_key_flags(cluster_flags)
flags.adopt_module_key_flags(papers_flag)
run_flags.define()
flags.adopt_module_key_flags(run_flags)

_MEBIBYTE = 2**20


def read_flags() -> RunConfiguration:
    """Returns what to run."""
    papers_flag.add_papers()
    return run_flags.run_configuration()


def main(configuration: RunConfiguration) -> None:
    """Runs it."""
    from experiments.runs import dropped_clients, resource_use, training
    from tff_weights import runtime

    with command_line.bad_input_ends_the_program():
        runtime.use(cluster_flags.runtime_options())
        prepared = training.prepare(
            configuration,
            _OUTPUT_DIR.value,
            resume=_RESUME.value,
            data_dir=_DATA_DIR.value,
            prepared_dir=_PREPARED_DIR.value,
        )
    if prepared.recovery is not None:
        print(f"{prepared.recovery}.", file=sys.stderr)
    result = prepared.execute(rounds_per_checkpoint=_ROUNDS_PER_CHECKPOINT.value)
    seconds = prepared.directory.read_seconds()
    memory = resource_use.peak_memory()
    said = [] if seconds is None else [f"Seconds per round: {seconds.training:.3g}."]
    said += [] if memory is None else [f"Peak memory: {memory / _MEBIBYTE:,.0f} MiB."]
    print(f"{_fairness(result)}\n{' '.join(said)}\nWritten to {_OUTPUT_DIR.value}.")
    for sentence in dropped_clients.sentences(configuration, result):
        print(sentence)


def _fairness(result: Mapping[str, Any]) -> str:
    """Says what the test examples of the clients gave: accuracy, or loss and metrics."""
    if "test_average" in result:
        return (
            f"Test accuracy over {result['test_num_clients']} clients: "
            f"average {result['test_average']:.2f} %, worst 20 % {result['test_worst_20']:.2f} %, "
            f"best 20 % {result['test_best_20']:.2f} %, variance {result['test_variance']:.1f}."
        )
    names = (name.removesuffix("_num_clients") for name in result if name.endswith("_num_clients"))
    return "\n".join(
        f"{name} over {result[f'{name}_num_clients']} clients: "
        f"average {result[f'{name}_average']:.4g}, worst 20 % {result[f'{name}_worst_20']:.4g}, "
        f"best 20 % {result[f'{name}_best_20']:.4g}, variance {result[f'{name}_variance']:.4g}."
        for name in names
    )


if __name__ == "__main__":
    command_line.run(main, read_flags)
