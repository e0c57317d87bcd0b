"""A federated data set as LEAF's JSON, for the code of LEAF, FedProx and fair_flearn."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow_federated as tff

from leaf_data.checks import check_path, check_type
from leaf_data.client_data import client_examples, num_examples_per_client
from leaf_data.errors import DataError
from leaf_data.examples import Examples
from leaf_data.federated_dataset import FederatedDataset


def write_leaf_json(
    dataset: FederatedDataset,
    leaf_dir: str | os.PathLike[str],
    *,
    convert: Callable[[Examples], Examples] = lambda examples: examples,
) -> None:
    """Writes `train/{name}_train.json` and `test/{name}_test.json`.

    The files are written one client at a time into a temporary folder beside `leaf_dir`, which is
    renamed when it is complete: `leaf_dir` is whole or absent. Numbers are written so that every
    int32 and float32 reads back exactly.

    Args:
        dataset: The data set; its elements have the fields `x` and `y`.
        leaf_dir: The folder to create; it may exist if it is empty.
        convert: From a client's examples to what is written, such as `leaf_convention(dataset)`; by
            default the examples themselves.

    Raises:
        ValueError: If an argument is of another type.
        FileExistsError: If `leaf_dir` exists and is not an empty folder.
        DataError: If a number is not finite or a text is not UTF-8, which JSON cannot hold. Also if
            the data set has numbers as labels, since LEAF's readers take whole ones for classes.
    """
    check_type("dataset", dataset, FederatedDataset)
    check_path("leaf_dir", leaf_dir)
    if not callable(convert):
        raise ValueError(f"convert is {convert!r}; it must be a function.")
    if dataset.train.element_type_structure["y"].dtype.is_floating:
        raise DataError(
            f"data set {dataset.name!r} has numbers as labels; LEAF's JSON has classes or text."
        )
    target = pathlib.Path(leaf_dir).absolute()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise FileExistsError(f"leaf_dir {target} exists already; name a new or an empty folder.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch:
        staged = pathlib.Path(scratch) / "staged"
        for split_name, client_data in (("train", dataset.train), ("test", dataset.test)):
            folder = staged / split_name
            folder.mkdir(parents=True)
            _write_split(
                client_data, folder / f"{dataset.name.replace('/', '_')}_{split_name}.json", convert
            )
        staged.rename(target)


def _write_split(
    client_data: tff.simulation.datasets.ClientData,
    path: pathlib.Path,
    convert: Callable[[Examples], Examples],
) -> None:
    client_ids = client_data.client_ids
    with open(path, "w", encoding="ascii") as file:
        file.write(f'{{"users": {json.dumps(client_ids)}, "num_samples": ')
        file.write(json.dumps(num_examples_per_client(client_data).tolist()))
        file.write(', "user_data": {')
        for index, client_id in enumerate(client_ids):
            examples = convert(client_examples(client_data, client_id))
            try:
                entry = json.dumps(
                    {field: _to_json(examples[field]) for field in ("x", "y")}, allow_nan=False
                )
            except ValueError as error:
                raise DataError(
                    f"client {client_id!r}: cannot be written as JSON ({error})."
                ) from None
            file.write(f"{', ' if index else ''}{json.dumps(client_id)}: {entry}")
        file.write("}}")


def _to_json(array: npt.NDArray[Any]) -> Any:
    if array.dtype != object:
        # The shortest decimal of the float64 with the same value: converting back is exact.
        return array.tolist()
    decoded = [text.decode("utf-8") for text in array.flat]
    return np.array(decoded, object).reshape(array.shape).tolist()
