"""FEMNIST by writer from one `.npz`: LEAF's own files, or a part of them, repacked."""

from __future__ import annotations

import collections
import dataclasses
import os
import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.examples import Examples
from leaf_data.image_datasets.emnist_by_writer import NUM_CLASSES
from leaf_data.local_files import find_file
from leaf_data.sources.npz import check_labels, read_npz
from leaf_data.sources.stand_ins import FEMNIST_BY_WRITER

SPLITS = ("train", "test")
_WHOLE = 2
_OF_WRITERS = ("writers", "status", "train_writer", "test_writer")


@dataclasses.dataclass(frozen=True)
class WrittenImages:
    """Images with their writers.

    Attributes:
        examples: For each of `SPLITS` the images, [n, 28, 28] uint8, ink 255 on 0, and the labels,
            [n] int32, the classes 0-9, A-Z, a-z.
        writer: For each of `SPLITS` the writer of each image, [n] int64, places in `writers`.
        writers: The writers' ids.
        is_whole: [writers] bool, whether all images of a writer are there.
    """

    examples: dict[str, Examples]
    writer: dict[str, npt.NDArray[np.int64]]
    writers: list[str]
    is_whole: npt.NDArray[np.bool_]

    def of_whole_writers(self, split: str) -> list[npt.NDArray[np.int64]]:
        """The images of each whole writer, in the order of `writers`.

        Args:
            split: One of `SPLITS`.

        Returns:
            The rows of each whole writer's images, [·] int64 each.
        """
        order = np.argsort(self.writer[split], kind="stable")
        counts = np.bincount(self.writer[split], minlength=len(self.writers))
        rows = np.split(order, np.cumsum(counts)[:-1])
        return [rows[place] for place in np.flatnonzero(self.is_whole)]


def find(data_dir: str | os.PathLike[str] | None) -> pathlib.Path | None:
    """The file `femnist*.npz` in the folder of raw data, or None if there is none."""
    return find_file(resolve_data_dir(data_dir), FEMNIST_BY_WRITER)


def read(path: pathlib.Path) -> WrittenImages:
    """Reads the file.

    Args:
        path: An `.npz` with `train_x`, `train_y`, `test_x`, `test_y` as `read_npz` takes them, ink
            255 on 0. `train_writer` and `test_writer` are [n] integers, places in `writers`.
            `writers` is [writers] text. `status` is [writers] integers, 2 if all images of a writer
            are there.

    Raises:
        DataError: If the file cannot be read, is truncated, malformed or mislabelled, or a whole
            writer has no training image.
    """
    arrays = read_npz(path, others=_OF_WRITERS)
    writers = arrays["writers"]
    ids = [str(writer) for writer in writers.flat]
    if writers.ndim != 1 or writers.dtype.kind != "U" or not all(ids) or len(set(ids)) < len(ids):
        raise _error(path, "writers", "must be different texts [writers]")
    if arrays["status"].shape != writers.shape:
        raise _error(path, "status", f"has the shape {arrays['status'].shape}; writers have one")
    for split in SPLITS:
        check_labels(arrays[f"{split}_y"], NUM_CLASSES, field=f"{split}_y", path=path)
        _check_split(arrays, split, path)
    images = WrittenImages(
        examples={
            split: collections.OrderedDict(x=arrays[f"{split}_x"], y=arrays[f"{split}_y"])
            for split in SPLITS
        },
        writer={split: arrays[f"{split}_writer"].astype(np.int64) for split in SPLITS},
        writers=ids,
        is_whole=arrays["status"] == _WHOLE,
    )
    for place, rows in zip(np.flatnonzero(images.is_whole), images.of_whole_writers("train")):
        if not len(rows):
            raise _error(path, "train_writer", f"lacks the writer {ids[place]!r}, who is whole")
    return images


def _check_split(arrays: dict[str, npt.NDArray[Any]], split: str, path: pathlib.Path) -> None:
    images, owners = arrays[f"{split}_x"], arrays[f"{split}_writer"]
    if images.shape[1:] != (28, 28):
        raise _error(path, f"{split}_x", f"has images of shape {images.shape[1:]}, not (28, 28)")
    if owners.dtype.kind not in "iu" or owners.shape != (len(images),):
        raise _error(
            path,
            f"{split}_writer",
            f"has shape {owners.shape} and dtype {owners.dtype}; it must be an integer for each of"
            f" {len(images)} images",
        )
    wrong = owners[(owners < 0) | (owners >= len(arrays["writers"]))]
    if len(wrong):
        raise _error(path, f"{split}_writer", f"has {wrong[0]}; writers are places in 'writers'")


def _error(path: pathlib.Path, field: str, problem: str) -> DataError:
    return DataError(f"{path}, field {field!r}: {problem}.")
