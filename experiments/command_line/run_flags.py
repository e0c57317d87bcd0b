"""The flags that describe one run, and the run they add up to."""

from __future__ import annotations

import dataclasses
import io
import json
import pathlib
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from absl import flags

from experiments import toml
from experiments.command_line import hyperparameter_flags, setting_flags, shared_flags
from experiments.papers import catalogue
from experiments.runs.configuration import SCHEMA, RunConfiguration, Seeds, check_schema
from experiments.runs.configure import STEPS, ResolvedRun, configure
from experiments.runs.files import DAMAGE
from leaf_data import extensions, registry

_DEFAULT_DATASET = "synthetic_1_1"
_NAME = "configuration.json"
_CONFIGURATION = shared_flags.define_path(
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
_DATASET = setting_flags.define_dataset(f"The federated data set; by default {_DEFAULT_DATASET}:")
_STEP_BUDGET_OF = shared_flags.define_path(
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


def resolved_run() -> ResolvedRun:
    """Returns the run that the flags describe, every default filled in.

    Raises:
        ValueError: If a flag is out of range, or is given and the algorithm does not use it; the
            message names it.
        OSError: If the file of --configuration cannot be read.
    """
    path = _CONFIGURATION.value
    of_file = {} if path is None else read_given(pathlib.Path(path))
    named = {"algorithm": _ALGORITHM.value, "dataset": _DATASET.value}
    named = {name: value for name, value in named.items() if value is not None}
    defaults = {"algorithm": "", "dataset": _DEFAULT_DATASET}
    algorithm, dataset = ({**defaults, **of_file, **named}[name] for name in defaults)
    by_flag = setting_flags.given(dataset)
    given = {
        **_of_file(of_file, algorithm, dataset, by_flag),
        **by_flag,
        **hyperparameter_flags.given(algorithm),
    }
    seeds = {
        field.name: given.pop(f"{field.name}_seed")
        for field in dataclasses.fields(Seeds)
        if f"{field.name}_seed" in given
    }
    given["seeds"] = Seeds(**{**of_file.get("seeds", {}), **seeds})
    run = configure(algorithm, dataset, given)
    if _STEP_BUDGET_OF.value is None:
        return run
    for name in STEPS:
        if name in by_flag:
            raise ValueError(f"--{name} and --step_budget_of both set the steps; leave one out")
    from experiments.runs import step_budget  # Deferred: it takes seconds.

    return step_budget.read_step_budget(_STEP_BUDGET_OF.value).apply(run)


def _of_file(
    fields: dict[str, Any], algorithm: str, dataset: str, by_flag: dict[str, Any]
) -> dict[str, Any]:
    """Returns the settings of a file that apply. Those of another algorithm or data set do not."""
    left_out = {"algorithm", "dataset", "seeds", "sources"}
    tables = {"hyperparameters", "dataset_options"}
    chosen = {name: value for name, value in fields.items() if name not in left_out | tables}
    if by_flag.keys() & set(STEPS):
        chosen = {name: chosen[name] for name in chosen if name not in STEPS}

    def is_same(name: str, asked: str, group: str) -> bool:
        """An entry point is the function that it stands for."""
        given = fields.get(name, asked)
        return len({extensions.entry_points(group).get(each, each) for each in (given, asked)}) == 1

    if is_same("algorithm", algorithm, catalogue.ALGORITHM_ENTRY_POINTS):
        own, known = fields.get("hyperparameters", {}), catalogue.algorithm(algorithm)
        _check_names("configuration: hyperparameters", own, known.hyperparameters)
        chosen.update(own)
    if is_same("dataset", dataset, registry.ENTRY_POINTS):
        own = fields.get("dataset_options", {})
        _check_names("configuration: dataset_options", own, registry.definition(dataset).options)
        chosen.update(own)
    else:
        chosen.pop("model", None)
    return chosen


def read_given(path: pathlib.Path) -> dict[str, Any]:
    """Reads the fields of a configuration that a file gives; the others have their defaults.

    Args:
        path: A file of JSON or TOML with the fields of `RunConfiguration`; or the folder of a run,
            or the file of a committed one, which hold such a file.

    Raises:
        ValueError: If it is no such file, or names something that is no field of a run.
        OSError: If it cannot be read.
    """
    try:
        fields = _parse(path)
        if not isinstance(fields, dict):
            raise ValueError("it must hold the fields of a run by name")
        check_schema(fields.pop("schema", SCHEMA))
        _check_names("a run", fields, RunConfiguration.__dataclass_fields__)
        for name in ("algorithm", "dataset"):
            if not isinstance(fields.get(name, ""), str):
                raise ValueError(f"{name} must be text, got {fields[name]!r}")
        for name in ("hyperparameters", "dataset_options", "seeds"):
            if not isinstance(fields.get(name, {}), Mapping):
                raise ValueError(f"{name} must be a table of names and values")
        _check_names("seeds", fields.get("seeds", {}), Seeds.__dataclass_fields__)
    except DAMAGE as error:
        raise ValueError(f"configuration: {path}: {error}") from error
    return fields


def _check_names(owner: str, given: Mapping[str, Any], known: Iterable[str]) -> None:
    for name in sorted(given.keys() - set(known)):
        raise ValueError(f"{owner}: there is no {name}, only {', '.join(sorted(known))}")


def _parse(path: pathlib.Path) -> Any:
    if path.suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            return json.loads(archive.read(_NAME))
    if path.suffix == ".toml":
        return toml.read(path)
    return json.loads((path / _NAME if path.is_dir() else path).read_text(encoding="utf-8"))
