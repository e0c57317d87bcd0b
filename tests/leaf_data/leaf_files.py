"""Small folders of LEAF's JSON, and files in TFF's SQLite form; not a test module."""

from __future__ import annotations

import json
import pathlib
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from leaf_data.federated_dataset import FederatedDataset


def document(clients: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    """LEAF's JSON of clients, each an (x, y) of lists."""
    return {
        "users": list(clients),
        "num_samples": [len(y) for _, y in clients.values()],
        "user_data": {client: {"x": x, "y": y} for client, (x, y) in clients.items()},
    }


def write_leaf(
    folder: pathlib.Path,
    train: Mapping[str, tuple[Any, Any]],
    test: Mapping[str, tuple[Any, Any]],
    name: str = "data.json",
) -> str:
    """Writes a file for each split; returns the folder."""
    for split, clients in (("train", train), ("test", test)):
        (folder / split).mkdir(parents=True, exist_ok=True)
        (folder / split / name).write_text(json.dumps(document(clients)))
    return str(folder)


def assert_same_data(found: FederatedDataset, expected: FederatedDataset) -> None:
    """The same clients, with the same examples of the same types."""
    for split in ("train", "test"):
        ours, theirs = getattr(found, split), getattr(expected, split)
        assert ours.client_ids == theirs.client_ids
        assert ours.row_splits.tolist() == theirs.row_splits.tolist()
        assert list(ours.arrays) == list(theirs.arrays)
        for field in theirs.arrays:
            assert ours.arrays[field].dtype == theirs.arrays[field].dtype
            np.testing.assert_array_equal(ours.arrays[field], theirs.arrays[field])


def write_tff_sqlite(
    path: pathlib.Path, splits: Mapping[str, Mapping[str, Sequence[Mapping[str, list[Any]]]]]
) -> None:
    """Writes the examples of each client of each split, each a mapping from feature to values."""
    database = sqlite3.connect(path)
    database.execute(
        "CREATE TABLE examples (split_name TEXT NOT NULL, client_id TEXT NOT NULL,"
        " serialized_example_proto BLOB NOT NULL)"
    )
    database.execute(
        "CREATE TABLE client_metadata (client_id TEXT NOT NULL, split_name TEXT NOT NULL,"
        " num_examples INTEGER NOT NULL)"
    )
    for split, clients in splits.items():
        for client_id, examples in clients.items():
            counts = (client_id, split, len(examples))
            database.execute("INSERT INTO client_metadata VALUES (?, ?, ?)", counts)
            for example in examples:
                features = {name: _feature(values) for name, values in example.items()}
                proto = tf.train.Example(features=tf.train.Features(feature=features))
                row = (split, client_id, proto.SerializeToString())
                database.execute("INSERT INTO examples VALUES (?, ?, ?)", row)
    database.execute("CREATE INDEX examples_of_clients ON examples (client_id)")
    database.commit()
    database.close()


def _feature(values: list[Any]) -> tf.train.Feature:
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))
