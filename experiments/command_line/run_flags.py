"""The flags that describe one run, and the configuration they add up to."""

from __future__ import annotations

import pathlib
from typing import Any

from absl import flags

from experiments.command_line import dataset_options, hyperparameter_flags, setting_flags
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.configuration_file import read_given
from experiments.runs.configure import STEPS, configure

_DEFAULT_DATASET = "synthetic_1_1"
_CONFIGURATION = flags.DEFINE_string(
    "configuration",
    None,
    "A file that says what to run, in JSON or TOML, with the names of these flags; or the folder "
    "or the file of a finished run. Flags count more.",
)
_ALGORITHM = flags.DEFINE_string(
    "algorithm",
    None,
    "The algorithm; an empty name shows all. Or module:name of your own: a builder (model, *, "
    "local_training, ...), or a weighting.",
)
_DATASET = dataset_options.define_dataset(
    None, f"The federated data set; by default {_DEFAULT_DATASET}:"
)
_STEP_BUDGET_OF = flags.DEFINE_string(
    "step_budget_of",
    None,
    "The folder of a finished run of fed_veca on the same data: a baseline takes as many local "
    "steps in all. Not with --epochs, --steps or --epochs_per_client.",
)


def define() -> None:
    """Defines the flags of a run's options and hyperparameters, after all others of the program."""
    setting_flags.define(RunConfiguration, Seeds)
    hyperparameter_flags.define()
    flags.adopt_module_key_flags(hyperparameter_flags)


def run_configuration() -> RunConfiguration:
    """Returns the configuration that the flags describe, every default filled in.

    Raises:
        ValueError: If a flag is out of range, or is given and the algorithm does not use it; the
            message names it.
        OSError: If the file of --configuration cannot be read.
    """
    path = _CONFIGURATION.value
    of_file = {} if path is None else read_given(pathlib.Path(path).expanduser())
    algorithm, dataset = _ALGORITHM.value, _DATASET.value
    if algorithm is None:
        algorithm = of_file.get("algorithm", "")
    if dataset is None:
        dataset = of_file.get("dataset", _DEFAULT_DATASET)
    by_flag = setting_flags.given(dataset)
    given = {
        **_of_file(of_file, algorithm, dataset, by_flag),
        **by_flag,
        **hyperparameter_flags.given(algorithm),
    }
    names = {"data", "sampling", "model", "shuffling"}
    seeds = {name: given.pop(f"{name}_seed") for name in names if f"{name}_seed" in given}
    given["seeds"] = Seeds(**{**of_file.get("seeds", {}), **seeds})
    configuration = configure(algorithm, dataset, given)
    if _STEP_BUDGET_OF.value is None:
        return configuration
    for name in STEPS:
        if name in by_flag:
            raise ValueError(f"--{name} and --step_budget_of both set the steps; leave one out")
    from experiments.runs import step_budget  # Deferred: it takes seconds.

    return step_budget.read_step_budget(_STEP_BUDGET_OF.value).apply(configuration)


def _of_file(
    fields: dict[str, Any], algorithm: str, dataset: str, by_flag: dict[str, Any]
) -> dict[str, Any]:
    """Returns what counts of a file: of another algorithm or data set its own settings do not."""
    left_out = {"algorithm", "dataset", "seeds", "sources"}
    tables = {"hyperparameters", "dataset_options"}
    chosen = {name: value for name, value in fields.items() if name not in left_out | tables}
    if by_flag.keys() & set(STEPS):
        chosen = {name: chosen[name] for name in chosen if name not in STEPS}
    if fields.get("algorithm", algorithm) == algorithm:
        chosen.update(fields.get("hyperparameters", {}))
    if fields.get("dataset", dataset) == dataset:
        chosen.update(fields.get("dataset_options", {}))
    else:
        chosen.pop("model", None)
    return chosen
