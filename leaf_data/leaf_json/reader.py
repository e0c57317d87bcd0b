"""A folder of LEAF's JSON as a federated data set."""

from __future__ import annotations

import collections
import math
import os
import pathlib
import warnings
from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from leaf_data import raw_files
from leaf_data.checks import check_integer, check_name, check_path, check_shape
from leaf_data.client_data import ArrayClientData, row_splits_from_counts
from leaf_data.errors import DataError
from leaf_data.examples import Examples
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.leaf_json.parser import parse_leaf_json
from leaf_data.leaf_json.scratch import ScratchFile, StoredArray
from leaf_data.own_columns import MOST_UNSEEN_CLASSES

_Array = Union[StoredArray, npt.NDArray[Any]]  # Numbers wait in a file, text in memory.
_Client = collections.OrderedDict[str, _Array]
_Split = collections.OrderedDict[str, _Client]


def read_leaf_json(
    leaf_dir: str | os.PathLike[str],
    *,
    name: str = "leaf",
    num_classes: int | None = None,
    documented: DocumentedStatistics | None = None,
    shape: Sequence[int] | None = None,
) -> FederatedDataset:
    """Reads a data set in the form that LEAF's, FedProx's and fair_flearn's scripts prepare.

    The clients keep the order of the training files, sorted by name, and of `user_data` in them.

    The arrays of numbers are memory maps of unnamed temporary files. So files of many gigabytes
    need the memory of their largest client only. Text is kept in memory as Python's objects, which
    take two to three times the space of the JSON.

    * A client that is only in the training files has an empty test split.
    * A client without training examples cannot take part. It is dropped with its test examples, and
      a warning counts such clients.
    * A client with test examples that is not in the training files is an error. Either the files do
      not belong together, or LEAF split by user (`-t user`), which per-client evaluation cannot
      use.

    Args:
        leaf_dir: The folder that holds `train/*.json` and `test/*.json`.
        name: The data set's name.
        num_classes: The number of classes, if known; labels must be below it. Otherwise it is one
            more than the largest label, which must be below 10,000 or below the number of examples.
        documented: What the source says about the data set.
        shape: The shape that each `x` gets, such as (28, 28), if the files have flat lists; None
            keeps the shape of the files.

    Returns:
        The data set. `x` is int32 if every number in every file is an integer of 32 bits, else
        float32; or text. `y` is a scalar int32; or text where `x` is text and `y` is not a number
        (then `num_classes` is None).

    Raises:
        DataError: As `parse_leaf_json`. Also if a folder has no files, all clients are empty, or a
            client occurs in two files or only in the test files. Also if clients differ in the
            shape or kind of their examples, `shape` does not fit these, or a label is too large to
            be the index of a class.
        ValueError: If an argument is out of range or of another type.
    """
    check_path("leaf_dir", leaf_dir)
    check_name("name", name)
    if num_classes is not None:
        check_integer("num_classes", num_classes, least=1)
    if shape is not None:
        check_shape("shape", shape)
    root = pathlib.Path(leaf_dir)
    origins: dict[str, dict[str, pathlib.Path]] = {"train": {}, "test": {}}
    scratch = ScratchFile()
    train = _read_split(root / "train", num_classes, origins["train"], scratch)
    test = _read_split(root / "test", num_classes, origins["test"], scratch)
    empty = [client_id for client_id, examples in train.items() if not len(examples["y"])]
    for client_id, examples in test.items():
        if client_id not in train and len(examples["y"]):
            raise DataError(
                f"{origins['test'][client_id]}, client {client_id!r}: has test examples, but is in"
                f" none of the files in {root / 'train'}."
            )
    for client_id in empty:
        del train[client_id]
        test.pop(client_id, None)
    if empty:
        warnings.warn(
            f"{root}: dropped {len(empty)} clients without training examples.", stacklevel=2
        )
    if not train:
        raise DataError(f"{root / 'train'}: no client has any examples.")
    template = _common_form(train, test, origins)
    without_test: _Client = collections.OrderedDict(template)
    test = collections.OrderedDict(
        (client_id, test.get(client_id, without_test)) for client_id in train
    )
    if shape is not None:
        template["x"] = _shaped(template["x"], tuple(shape), root)
    train_data = _as_client_data(train, template, scratch)
    test_data = _as_client_data(test, template, scratch)
    if template["y"].dtype == object:
        num_classes = None
    elif num_classes is None:
        num_classes = max(
            _num_classes(train_data, origins["train"]), _num_classes(test_data, origins["test"])
        )
    return FederatedDataset(
        name=name,
        train=train_data,
        test=test_data,
        num_classes=num_classes,
        documented=documented,
    )


def _read_split(
    folder: pathlib.Path,
    num_classes: int | None,
    origins: dict[str, pathlib.Path],
    scratch: ScratchFile,
) -> _Split:
    """All clients of a folder; `origins` gets the file of each."""
    paths = sorted(raw_files.note(folder).glob("*.json"))
    if not paths:
        raise DataError(
            f"{folder}: no *.json files; LEAF's data is in train/*.json and test/*.json."
        )
    split: _Split = collections.OrderedDict()
    for path in paths:
        for client_id, examples in parse_leaf_json(path, num_classes=num_classes):
            if client_id in split:
                raise DataError(
                    f"{path}, client {client_id!r}: is in {origins[client_id]} as well."
                )
            split[client_id] = collections.OrderedDict(
                (field, array if array.dtype == object else scratch.store(array))
                for field, array in examples.items()
            )
            origins[client_id] = path
    return split


def _common_form(
    train: _Split, test: _Split, origins: dict[str, dict[str, pathlib.Path]]
) -> Examples:
    """No examples, with the common shape and the common dtype: float32 if any client has it."""
    first_id, first = next(iter(train.items()))
    template = collections.OrderedDict(
        (field, np.empty((0, *array.shape[1:]), array.dtype)) for field, array in first.items()
    )
    for split_name, split in (("train", train), ("test", test)):
        for client_id, examples in split.items():
            for field, array in examples.items():
                known = template[field]
                if not len(array):
                    continue
                place = (
                    f"{origins[split_name].get(client_id)}, client {client_id!r}, field {field!r}"
                )
                if array.shape[1:] != known.shape[1:]:
                    raise DataError(
                        f"{place}: is ragged: its samples have the shape {array.shape[1:]}, those"
                        f" of client {first_id!r} {known.shape[1:]}."
                    )
                if (array.dtype == object) != (known.dtype == object):
                    raise DataError(
                        f"{place}: mixes numbers and text: it differs from client {first_id!r}."
                    )
                if array.dtype == np.float32:
                    template[field] = known.astype(np.float32)
    return template


def _num_classes(data: ArrayClientData, origins: dict[str, pathlib.Path]) -> int:
    """One more than the largest label, if that can be a class index; 0 without examples."""
    labels = data.arrays["y"]
    if not len(labels):
        return 0
    row = int(labels.argmax())
    num_classes = int(labels[row]) + 1
    if num_classes > max(MOST_UNSEEN_CLASSES, len(labels)):
        client_id = data.client_ids[int(np.searchsorted(data.row_splits, row, side="right")) - 1]
        raise DataError(
            f"{origins[client_id]}, client {client_id!r}, field 'y': has the label"
            f" {num_classes - 1}, which would make {num_classes} classes of {len(labels)} examples;"
            " labels must be the classes' indices."
        )
    return num_classes


def parse_shape(text: str) -> tuple[int, ...]:
    """Reads a shape such as 28x28.

    Raises:
        ValueError: If it is none.
    """
    sizes = text.split("x")
    if not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise ValueError(f"shape is {text!r}; it must be sizes with an x between, such as 28x28.")
    return tuple(map(int, sizes))


def _shaped(form: npt.NDArray[Any], shape: tuple[int, ...], root: pathlib.Path) -> Any:
    """The same examples with another shape of the same size."""
    found = form.shape[1:]
    if form.dtype == object or math.prod(found) != math.prod(shape):
        kind = "text" if form.dtype == object else "numbers"
        raise DataError(
            f"{root}: x is {kind} of the shape {found}; shape {shape} must be of as many numbers."
        )
    return np.empty((0, *shape), form.dtype)


def _as_client_data(split: _Split, template: Examples, scratch: ScratchFile) -> ArrayClientData:
    """The clients in their order; each field is one flat array in the common form."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    counts = [len(examples["y"]) for examples in split.values()]
    for field, form in template.items():
        shape = (sum(counts), *form.shape[1:])
        parts = [examples[field] for examples in split.values() if len(examples[field])]
        texts = [part for part in parts if isinstance(part, np.ndarray)]
        numbers = [part for part in parts if isinstance(part, StoredArray)]
        if form.dtype == object:
            arrays[field] = np.concatenate([form, *texts])
            continue
        flat = ScratchFile()
        for part in numbers:
            flat.store(scratch.load(part).astype(form.dtype, copy=False))
        arrays[field] = flat.map(form.dtype, shape)
    return ArrayClientData.from_arrays(list(split), arrays, row_splits_from_counts(counts))
