"""The folder of a prepared data set: TFF's SQLite files, and everything that they cannot hold.

* `dataset.json`: what was asked for, and what a `FederatedDataset` says beside its examples.
* `train.sqlite` and `test.sqlite`: the examples, see `sqlite_clients`.
* `vectors.npy`: the vectors of the words, where a data set of tweets has them.
* `SHA256SUMS`: the checksums of all these, as `sha256sum` writes them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from leaf_data import raw_files
from leaf_data.errors import DataError
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.pixels import PixelScaling
from leaf_data.prepared.sqlite_clients import read_clients, write_clients
from leaf_data.sent140 import TweetDataset
from leaf_data.sent140.vocabulary import Vocabulary
from leaf_data.sources.fetching import whole_directory

_DESCRIPTION = "dataset.json"
_TRAIN = "train.sqlite"
_TEST = "test.sqlite"
_VECTORS = "vectors.npy"
_CHECKSUMS = "SHA256SUMS"
_ALWAYS_THERE = (_TRAIN, _TEST, _DESCRIPTION)

# Raise it with every change of the files' form, or of the numbers of a data set.
_VERSION = 3


def load_prepared(
    prepared_dir: str | os.PathLike[str],
    request: Mapping[str, Any],
    load: Callable[[], FederatedDataset],
    *,
    raw_dir: pathlib.Path,
) -> FederatedDataset:
    """Reads a data set that was prepared before, or prepares it.

    In both cases the data set is read from the folder. The folder is there whole or not at all, and
    is never written again. The raw files are no longer needed. But a raw file that exists and has
    changed is an error.

    Args:
        prepared_dir: The folder in which each request has a folder of its own; it is made.
        request: Everything that decides the data set's numbers, such as its `name`, in JSON's
            types.
        load: Loads the data set from its source, and reports files to `raw_files.note`.
        raw_dir: The folder of raw data.

    Returns:
        The data set: the same numbers, order of clients and dtypes as `load` gives.

    Raises:
        ValueError: If `prepared_dir` is empty or the data set has a dtype that TFF's form does not
            hold exactly.
        DataError: If a prepared file is missing, damaged or another data set's, if a raw file has
            changed, or if the data cannot be loaded.
    """
    if not os.fspath(prepared_dir):
        raise ValueError("prepared_dir is ''; it must name a folder.")
    request = {"version": _VERSION, **request}
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:12]
    folder = pathlib.Path(
        prepared_dir
    ).expanduser().absolute() / f"{request['name']}-{digest}".replace(":", ".")
    raw_dir = raw_dir.absolute()
    if not folder.is_dir():
        with raw_files.recording() as files:
            dataset = load()
        with whole_directory(folder) as incomplete:
            _write(dataset, request, raw_files.describe(files, below=raw_dir), incomplete)
    return _read(folder, request, raw_dir)


def _write(
    dataset: FederatedDataset,
    request: Mapping[str, Any],
    raw: Mapping[str, Any],
    folder: pathlib.Path,
) -> None:
    write_clients(dataset.train, folder / _TRAIN)
    write_clients(dataset.test, folder / _TEST)
    vocabulary = dataset.vocabulary if isinstance(dataset, TweetDataset) else None
    documented = dataset.documented
    description = {
        "request": request,
        "raw_files": raw,
        "fields": {
            field: {"dtype": spec.dtype.name, "shape": spec.shape.as_list()}
            for field, spec in dataset.train.element_type_structure.items()
        },
        "name": dataset.name,
        "seed": dataset.seed,
        "num_classes": dataset.num_classes,
        "documented": None if documented is None else dataclasses.asdict(documented),
        "origin": dataset.origin,
        "pixels": {
            "mean": dataset.pixels.mean.tolist(),
            "deviation": dataset.pixels.deviation.tolist(),
        },
        "alphabet": dataset.alphabet,
        "words": None if vocabulary is None else vocabulary.words,
    }
    (folder / _DESCRIPTION).write_text(json.dumps(description, indent=1) + "\n", encoding="ascii")
    names = list(_ALWAYS_THERE)
    if vocabulary is not None and vocabulary.vectors is not None:
        np.save(folder / _VECTORS, vocabulary.vectors)
        names.insert(0, _VECTORS)  # A truncated list then lacks a file that always exists.
    lines = _checksums(folder, names)
    (folder / _CHECKSUMS).write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def _read(
    folder: pathlib.Path, request: Mapping[str, Any], raw_dir: pathlib.Path
) -> FederatedDataset:
    names = _check_whole(folder)
    description = json.loads((folder / _DESCRIPTION).read_text(encoding="ascii"))
    if description["request"] != request:
        raise DataError(
            f"{folder / _DESCRIPTION}: is of {description['request']}, not of {request}; remove or"
            " rename the folder."
        )
    # Folders of an earlier version do not say what they were made of.
    change = raw_files.first_change(description.get("raw_files", {}), below=raw_dir)
    if change is not None:
        raise DataError(
            f"{change} when {folder} was prepared of it; remove that folder to have the data set"
            " prepared again."
        )
    element_spec = {
        field: tf.TensorSpec(spec["shape"], tf.as_dtype(spec["dtype"]))
        for field, spec in description["fields"].items()
    }
    documented, words = description["documented"], description["words"]
    arguments: dict[str, Any] = {
        "name": description["name"],
        "train": read_clients(folder / _TRAIN, element_spec),
        "test": read_clients(folder / _TEST, element_spec),
        "seed": description["seed"],
        "num_classes": description["num_classes"],
        "documented": None if documented is None else DocumentedStatistics(**documented),
        "origin": description["origin"],
        "pixels": PixelScaling(**description["pixels"]),
        "alphabet": description["alphabet"],
    }
    if words is None:
        return FederatedDataset(**arguments)
    vectors = np.load(folder / _VECTORS) if _VECTORS in names else None
    return TweetDataset(**arguments, vocabulary=Vocabulary(tuple(words), vectors))


def _check_whole(folder: pathlib.Path) -> list[str]:
    """Compares all files with their checksums, and returns their names."""
    path = folder / _CHECKSUMS
    again = f"remove {folder} to have the data set prepared again"
    try:
        written = path.read_text(encoding="ascii").splitlines()
        names = [line.partition("  ")[2] for line in written]
        if sorted({*names, _VECTORS}) != sorted({*_ALWAYS_THERE, _VECTORS}):
            raise DataError(f"{path}: names the files {names}, not {_ALWAYS_THERE}; {again}.")
        for name, line, expected in zip(names, written, _checksums(folder, names)):
            if line != expected:
                raise DataError(f"{folder / name}: differs from its checksum in {path}; {again}.")
    except UnicodeDecodeError:
        raise DataError(f"{path}: is no list of checksums; {again}.") from None
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be read ({error.strerror}); {again}.") from None
    return names


def _checksums(folder: pathlib.Path, names: Iterable[str]) -> Iterable[str]:
    return (f"{raw_files.sha256(folder / name)}  {name}" for name in names)
