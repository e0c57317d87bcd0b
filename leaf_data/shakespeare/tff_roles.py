"""TFF's own federated Shakespeare: roles whose speeches are split already."""

from __future__ import annotations

import pathlib
import sqlite3

import tensorflow as tf

from leaf_data.errors import DataError
from leaf_data.local_files import open_database
from leaf_data.shakespeare.roles import Role, join_lines

TFF_SQLITE = "shakespeare.sqlite"


def read_tff_roles(directory: pathlib.Path) -> tuple[list[Role], list[Role]]:
    """Reads the file that `tff.simulation.datasets.shakespeare.load_data` downloads.

    Its `ClientData` builds a new TensorFlow graph for every client, and so takes a minute for all.

    Args:
        directory: The folder with `shakespeare.sqlite`.

    Returns:
        The roles of the train split and of the test split. Both hold the clients that have a window
        for training, sorted by id. A client's speeches are joined as lines are.

    Raises:
        DataError: If the file is malformed, its splits have different clients, or none is left.
    """
    path = directory / TFF_SQLITE
    train, test = (_read_split(path, split) for split in ("train", "test"))
    if set(train) != set(test):
        raise DataError(f"{path}: its train and test split have different clients.")
    client_ids = [client_id for client_id in sorted(train) if train[client_id].num_windows]
    if not client_ids:
        raise DataError(f"{path}: no role says more than 80 characters.")
    return [train[client_id] for client_id in client_ids], [test[name] for name in client_ids]


def _read_split(path: pathlib.Path, split: str) -> dict[str, Role]:
    lines_of: dict[str, list[str]] = {}
    try:
        with open_database(path) as database:
            rows = database.execute(
                "SELECT client_id, serialized_example_proto FROM examples"
                " WHERE split_name = ? ORDER BY rowid",
                [split],
            ).fetchall()
        examples = tf.io.parse_example(
            tf.constant([serialized for _, serialized in rows], tf.string),
            {"snippets": tf.io.FixedLenFeature([], tf.string)},
        )
        for (client_id, _), snippet in zip(rows, examples["snippets"].numpy()):
            if not isinstance(client_id, str):
                raise TypeError(f"has the client {client_id!r}; ids must be text")
            lines_of.setdefault(client_id, []).extend(snippet.decode("utf-8").splitlines())
    except (sqlite3.Error, tf.errors.OpError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{path}, {split}: is not TFF's Shakespeare ({reason}).") from None
    return {client_id: Role(client_id, join_lines(lines)) for client_id, lines in lines_of.items()}
