"""The 62 classes of EMNIST by writer, from TFF's SQLite file."""

from __future__ import annotations

import collections
import os
import pathlib
import sqlite3
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.errors import DataError
from leaf_data.examples import Examples
from leaf_data.local_files import open_database
from leaf_data.sources import fetch_tff_sqlite, find_tff_sqlite

FILE_NAME = "emnist_all.sqlite"
NUM_CLASSES = 62


def find(data_dir: str | os.PathLike[str] | None) -> pathlib.Path | None:
    """The directory of the SQLite file, or None if it is not on this machine.

    Raises:
        DataError: If the file is truncated or no SQLite database.
    """
    return find_tff_sqlite(FILE_NAME, data_dir=data_dir)


def fetch(dataset: str, *, data_dir: str | os.PathLike[str] | None) -> pathlib.Path:
    """The directory of the SQLite file, which TFF downloads unless it is there.

    Raises:
        DataError: As `sources.fetch_tff_sqlite`.
    """
    return fetch_tff_sqlite(
        dataset,
        FILE_NAME,
        lambda cache_dir: tff.simulation.datasets.emnist.load_data(
            only_digits=False, cache_dir=cache_dir
        ),
        data_dir=data_dir,
    )


def read_writers(folder: pathlib.Path, split: str) -> Iterator[tuple[str, Examples]]:
    """Yields the writers one by one, sorted by id.

    The rows are those of `tff.simulation.datasets.emnist.load_data`. Its `ClientData` builds a
    TensorFlow graph for every client, which takes minutes for all of them.

    Args:
        folder: What `fetch` returned.
        split: "train" or "test".

    Yields:
        `(client_id, OrderedDict(x=..., y=...))`. `x`: [num_examples, 28, 28] uint8, dark ink on
        255, as LEAF and TFF have them; `y`: [num_examples] int32, the classes 0-9, A-Z, a-z.

    Raises:
        DataError: If the file is malformed or mislabelled.
    """
    path = folder / FILE_NAME
    place = f"{path}, {split}"
    try:
        with open_database(path) as database:
            client_ids = database.execute(
                "SELECT DISTINCT client_id FROM client_metadata WHERE split_name = ?",
                [f"all_{split}"],
            ).fetchall()
            if not client_ids:
                raise DataError(f"{path}: has no writers in {split}.")
            wrong = [client_id for (client_id,) in client_ids if not isinstance(client_id, str)]
            if wrong:
                raise DataError(f"{place}: has the client {wrong[0]!r}; ids must be text.")
            for (client_id,) in sorted(client_ids):
                place = f"{path}, client {client_id!r}, {split}"
                rows = database.execute(
                    "SELECT serialized_example_proto FROM examples"
                    " WHERE client_id = ? AND split_name = ?",
                    [client_id, f"all_{split}"],
                )
                pixels, labels = _parse([serialized for (serialized,) in rows])
                yield client_id, as_examples(pixels.numpy(), labels.numpy(), place=place)
    # TensorFlow quotes an example that it cannot parse, and fails if that is no UTF-8.
    except (sqlite3.Error, tf.errors.OpError, TypeError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{place}: cannot be read ({reason}).") from None


@tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
def _parse(serialized: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Pixels [num_examples, 28, 28] float32 and labels [num_examples] int64."""
    features = tf.io.parse_example(
        serialized,
        {
            "pixels": tf.io.FixedLenFeature([28, 28], tf.float32),
            "label": tf.io.FixedLenFeature([], tf.int64),
        },
    )
    return features["pixels"], features["label"]


def as_examples(x: npt.NDArray[Any], y: npt.NDArray[Any], *, place: str) -> Examples:
    """Pixels in [0, 1] as `uint8`, and labels of the 62 classes.

    LEAF divides 8-bit pixels by 255, so that nothing is lost.

    Args:
        x: [num_examples, 28, 28] or [num_examples, 784] float.
        y: [num_examples] int.
        place: Where they come from, for errors.

    Returns:
        `OrderedDict(x=[num_examples, 28, 28] uint8, y=[num_examples] int32)`.

    Raises:
        DataError: If the shape, a pixel or a label is out of range.
    """
    if x.shape[1:] not in ((28, 28), (784,)):
        raise DataError(f"{place}: has images of shape {x.shape[1:]}, not (28, 28) or (784,).")
    if not ((x >= 0.0) & (x <= 1.0)).all():
        raise DataError(f"{place}: has pixels that are not in [0, 1].")
    wrong = y[(y < 0) | (y >= NUM_CLASSES)]
    if len(wrong):
        raise DataError(f"{place}: has the label {wrong[0]}; labels must be in 0..61.")
    pixels = np.rint(x * 255.0).astype(np.uint8).reshape(-1, 28, 28)
    return collections.OrderedDict(x=pixels, y=y.astype(np.int32))
