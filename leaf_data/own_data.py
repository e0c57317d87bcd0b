"""Users' own data sets: from NumPy arrays, a pandas frame, or any TFF `ClientData`."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import tensorflow_federated as tff

from leaf_data import extras
from leaf_data.checks import check_fraction, check_integer, check_name, check_seed, check_type
from leaf_data.client_data import ArrayClientData, client_examples
from leaf_data.client_ids import as_client_ids
from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.frame_columns import check_whole, feature_columns
from leaf_data.own_columns import as_features, as_labels, as_numbers, has_fractions
from leaf_data.partitioners.train_test_split import train_test_split
from leaf_data.pixels import UNIT, PixelScaling

if TYPE_CHECKING:
    import pandas as pd


def from_arrays(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    client: npt.ArrayLike,
    *,
    is_test: npt.ArrayLike | None = None,
    train_fraction: float = 0.8,
    seed: int = 0,
    num_classes: int | None = None,
    regression: bool | None = None,
    name: str = "own",
    pixels: PixelScaling = UNIT,
) -> FederatedDataset:
    """Makes a federated data set of examples and their clients.

        dataset = leaf_data.from_arrays(images, labels, writers)
        task = leaf_data.as_task(dataset, model="fed_adp_cnn")

    Args:
        x: [n, ...] features. Bytes (uint8) stay bytes: as [n, height, width] or with channels they
            are images, and `pixels` scales them. Other numbers become int32 if they are integers of
            32 bits, else float32, and are not scaled.
        y: [n] labels: integers in 0..num_classes-1, in any dtype, or text. The sorted different
            texts are then the classes. In a regression they are real numbers, [n] or [n, ...].
        client: [n] numbers, text or other hashable objects: the client of each example, in any
            order. The ids are these as text. Clients are numbered in the order of their first
            examples.
        is_test: [n] truth values: which examples are for testing. None divides each client's
            examples at random. Some clients may have no test examples, but not all.
        train_fraction: The share of training examples of each client, in (0, 1), where `is_test` is
            None; see `partitioners.train_test_split`.
        seed: Of that division, a non-negative integer.
        num_classes: The number of classes; one more than the largest label by default.
        regression: Whether the labels are numbers instead of classes. By default they are if one of
            them has a fraction and `num_classes` is not given.
        name: What tables and figures call the data set.
        pixels: How models scale the bytes of images; by default black is 0 and white is 1.

    Returns:
        The data set. `x`: [...] uint8, int32 or float32; `y`: scalar int32, or of a regression
        [...] float32, without `num_classes`.

    Raises:
        DataError: If lengths differ, there are no examples, features are not finite numbers, or a
            label is missing, out of range, or neither text nor a number. Also if an example's
            client is missing or not hashable, a client has no training examples, or no client has
            test examples.
        ValueError: If `train_fraction`, `seed`, `num_classes`, `regression`, `name` or `pixels` is
            out of range or of another type.
    """
    check_fraction("train_fraction", train_fraction)
    check_seed("seed", seed)
    if num_classes is not None:
        check_integer("num_classes", num_classes, least=1)
    if regression is not None:
        check_type("regression", regression, bool)
    if regression and num_classes is not None:
        raise ValueError(f"num_classes is {num_classes}; a regression has none.")
    check_name("name", name)
    check_type("pixels", pixels, PixelScaling)
    for argument, value in {"x": x, "y": y, "client": client, "is_test": is_test}.items():
        if np.ma.is_masked(value):
            raise DataError(f"{argument} is masked in places: fill in or drop what is missing.")
    features, clients = as_features(x), as_client_ids(client)
    if regression is None:
        regression = num_classes is None and has_fractions(y)
    if regression:
        labels: npt.NDArray[Any] = as_numbers(y)
    else:
        labels, num_classes = as_labels(y, num_classes)
    tested = None if is_test is None else np.asarray(is_test)
    lengths = {"x": len(features), "y": len(labels), "client": len(clients)}
    if tested is not None:
        if tested.dtype != bool or tested.ndim != 1:
            raise DataError(
                f"is_test has the dtype {tested.dtype} and the shape {tested.shape}; it must be one"
                " truth value for each example."
            )
        lengths["is_test"] = len(tested)
    if len(set(lengths.values())) != 1 or not len(labels):
        raise DataError(f"the lengths are {lengths}; all must be the same, and at least 1.")
    # Clients are in the order of their first examples, and keep the order of their own.
    _, first, inverse = np.unique(clients, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    ids = [str(clients[row]) for row in np.sort(first)]
    order = np.argsort(rank[inverse], kind="stable")
    counts = np.bincount(rank[inverse])
    of_clients = np.split(order, np.cumsum(counts)[:-1])
    if tested is None:
        train, test = train_test_split(of_clients, train_fraction=train_fraction, seed=seed)
    else:
        train = [rows[~tested[rows]] for rows in of_clients]
        test = [rows[tested[rows]] for rows in of_clients]
    arrays = collections.OrderedDict(x=features, y=labels)
    train_data = ArrayClientData.from_partitions(ids, arrays, train)
    test_data = ArrayClientData.from_partitions(ids, arrays, test)
    _check_splits(train_data, test_data)
    return FederatedDataset(
        name=name,
        train=train_data,
        test=test_data,
        seed=seed if tested is None else None,
        num_classes=num_classes,
        pixels=pixels,
    )


def from_frame(
    frame: pd.DataFrame,
    *,
    client: str = "client",
    label: str = "label",
    features: Sequence[str] | None = None,
    is_test: str | None = None,
    **options: Any,
) -> FederatedDataset:
    """Makes a federated data set of a frame whose rows are examples.

        dataset = leaf_data.from_frame(frame, client="hospital", label="outcome")

    Args:
        frame: An example per row.
        client: The column with the client of each example.
        label: The column of the labels, integers in 0..num_classes-1, text or real numbers, as
            `from_arrays` takes them.
        features: The columns of the features, all of numbers or truth values in any of pandas'
            dtypes, without missing values; by default all others.
        is_test: The column of truth values that says which examples are test examples; None divides
            each client's examples at random.
        **options: As `from_arrays` takes them: `train_fraction`, `seed`, `num_classes`,
            `regression`, `name`.

    Returns:
        The data set. `x`: [number of features] float32, or int32 where all are integers, or
        integers and truth values; `y`: scalar int32.

    Raises:
        DataError: As `from_arrays`, or if a column is missing, has a missing value, is used twice
            or there twice, or is a feature and no number.
        ValueError: As `from_arrays`.
    """
    check_type("frame", frame, extras.require("pandas").DataFrame)
    if isinstance(features, str):
        raise ValueError(f"features is {features!r}; it must be a list of columns.")
    if not frame.columns.is_unique:
        name = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"the frame has more than one column {name!r}; names must be unique.")
    others = [client, label, *([] if is_test is None else [is_test])]
    columns = [name for name in frame.columns if name not in others]
    columns = columns if features is None else list(features)
    for name in (*others, *columns):
        if name not in frame.columns:
            raise DataError(f"the frame has no column {name!r}, only {list(frame.columns)}.")
    if len({*others, *columns}) != len(others) + len(columns) or not columns:
        raise DataError(
            f"the columns are client {client!r}, label {label!r}, is_test {is_test!r} and features"
            f" {columns}; each must be another, and there must be a feature."
        )
    for name in others:
        check_whole(frame[name], name)
    return from_arrays(
        feature_columns(frame, columns),
        frame[label].to_numpy(),
        frame[client].to_numpy(),
        is_test=None if is_test is None else frame[is_test].to_numpy(),
        **options,
    )


def from_client_data(
    train: tff.simulation.datasets.ClientData,
    test: tff.simulation.datasets.ClientData | None = None,
    *,
    x: str = "x",
    y: str = "y",
    **options: Any,
) -> FederatedDataset:
    """Makes a federated data set of TFF's, such as `tff.simulation.datasets.emnist.load_data()`.

        train, test = tff.simulation.datasets.emnist.load_data()
        dataset = leaf_data.from_client_data(train, test, x="pixels", y="label")

    All examples are read into memory. For a larger data set, make a `FederatedDataset(name, train,
    test, num_classes=...)` directly. Its elements must be `OrderedDict(x=..., y=...)`;
    `ClientData.preprocess` can make them so.

    Args:
        train: The training examples, each a mapping, or a pair of features and label.
        test: The test examples of the same clients; clients that are only here are left out. None
            divides each client's training examples at random.
        x: The field of the features.
        y: The field of the labels.
        **options: As `from_arrays` takes them.

    Returns:
        The data set, as `from_arrays`.

    Raises:
        DataError: As `from_arrays`, or if a field is missing.
        ValueError: As `from_arrays`.
    """
    check_type("train", train, tff.simulation.datasets.ClientData)
    if test is not None:
        check_type("test", test, tff.simulation.datasets.ClientData)
    if "is_test" in options:
        raise ValueError("is_test is not used here: test says what is a test example.")
    splits = [train] if test is None else [train, test]
    parts: list[tuple[Any, Any]] = []
    owners: list[str] = []
    tested: list[bool] = []
    for split in splits:
        known = set(split.client_ids)
        for client_id in train.client_ids:
            if client_id not in known:
                continue
            examples = _fields(client_examples(split, client_id), x, y)
            if split is train and not len(examples[1]):
                raise DataError(f"client {client_id!r} has no training examples; leave it out.")
            parts.append(examples)
            owners += [client_id] * len(examples[1])
            tested += [split is test] * len(examples[1])
    return from_arrays(
        np.concatenate([features for features, _ in parts]),
        np.concatenate([labels for _, labels in parts]),
        owners,
        is_test=None if test is None else np.array(tested, bool),
        **options,
    )


def _fields(examples: Any, x: str, y: str) -> tuple[Any, Any]:
    if not isinstance(examples, Mapping):
        features, labels = examples
        return features, labels
    for field in (x, y):
        if field not in examples:
            raise DataError(f"the examples have no field {field!r}, only {list(examples)}.")
    return examples[x], examples[y]


def _check_splits(train: ArrayClientData, test: ArrayClientData) -> None:
    untrained = np.flatnonzero(train.num_examples == 0)
    if len(untrained):
        raise DataError(
            f"client {train.client_ids[untrained[0]]!r} has no training examples; leave out the"
            f" {len(untrained)} that have none."
        )
    if not test.num_examples.any():
        raise DataError(
            "no client has test examples, which the models are evaluated on: choose is_test or a"
            " smaller train_fraction."
        )
