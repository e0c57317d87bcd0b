"""A run's configuration as a file that somebody gives: what a run wrote, or a few lines of TOML."""

from __future__ import annotations

import dataclasses
import json
import lzma
import pathlib
import sys
import zipfile
from collections.abc import Mapping
from typing import Any

from experiments.runs.configuration import SCHEMA, RunConfiguration, Seeds, check_schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_NAME = "configuration.json"
_TABLES = ("hyperparameters", "dataset_options", "seeds")


def read_given(path: pathlib.Path) -> dict[str, Any]:
    """Reads the fields of a configuration that a file gives; the others have their defaults.

    Args:
        path: A file of JSON or TOML with the fields of `RunConfiguration`; or the folder of a run,
            or the file of a committed one, which hold such a file.

    Returns:
        The fields by name; seeds, hyperparameters and options of the data set as mappings.

    Raises:
        ValueError: If it is no such file, or gives something that is no field of a run.
        OSError: If it cannot be read.
    """
    try:
        fields = _parse(path)
        if not isinstance(fields, Mapping):
            raise ValueError("it must hold the fields of a run by name")
        fields = dict(fields)
        check_schema(fields.pop("schema", SCHEMA))
        known = {field.name for field in dataclasses.fields(RunConfiguration)}
        for name in fields:
            if name not in known:
                raise ValueError(f"a run has no {name}, only {', '.join(sorted(known))}")
        for name in ("algorithm", "dataset"):
            if not isinstance(fields.get(name, ""), str):
                raise ValueError(f"{name} must be text, got {fields[name]!r}")
        for name in _TABLES:
            if not isinstance(fields.get(name, {}), Mapping):
                raise ValueError(f"{name} must be a table of names and values")
        seeds = {field.name for field in dataclasses.fields(Seeds)}
        if not seeds.issuperset(fields.get("seeds", {})):
            raise ValueError(f"seeds must be some of {', '.join(sorted(seeds))}")
    except (ValueError, KeyError, zipfile.BadZipFile, lzma.LZMAError, EOFError) as error:
        raise ValueError(f"configuration: {path}: {error}") from error
    return fields


def _parse(path: pathlib.Path) -> Any:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read(_NAME))
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text(encoding="utf-8"))
    file = path / _NAME if path.is_dir() else path
    return json.loads(file.read_text(encoding="utf-8"))
