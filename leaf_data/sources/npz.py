"""Labelled images from a local `.npz`, read strictly and never unpickled."""

from __future__ import annotations

import pathlib
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data import raw_files
from leaf_data.errors import DataError

FIELDS = ("train_x", "train_y", "test_x", "test_y")

_MALFORMED = (
    EOFError,
    OSError,
    RuntimeError,  # Encrypted, or compressed in a way that Python does not know.
    ValueError,
    tokenize.TokenError,  # From NumPy, which reads headers as Python.
    zipfile.BadZipFile,
    zlib.error,
)


def read_npz(path: pathlib.Path, *, others: Sequence[str] = ()) -> dict[str, npt.NDArray[Any]]:
    """Reads the four arrays of a data set of labelled images.

    The array's headers are compared with the archive's own sizes before anything is unpacked, and
    the archive's checksums verify the content.

    Args:
        path: A file as `numpy.savez` and `numpy.savez_compressed` write it, with `train_x`,
            `test_x` [num_examples, height, width] or [num_examples, height, width, channels] uint8,
            and `train_y`, `test_y` [num_examples] of any integer dtype.
        others: Other fields to read, of any form. What is not named is not looked at.

    Returns:
        The arrays by field: images uint8, labels int32, the others as they are.

    Raises:
        DataError: If the file cannot be read, is truncated or malformed, or a field is missing or
            of another form. File and field are named.
    """
    try:
        with zipfile.ZipFile(raw_files.note(path)) as archive:
            arrays = {field: _read_member(archive, field, path) for field in (*FIELDS, *others)}
    except DataError:
        raise
    except _MALFORMED as error:
        raise _error(path, None, f"is no whole .npz file ({error})") from None
    for split in ("train", "test"):
        images, labels = arrays[f"{split}_x"], arrays[f"{split}_y"]
        _check_form(images, labels, split, path)
        if images.shape[1:] != arrays["train_x"].shape[1:]:
            raise _error(
                path,
                f"{split}_x",
                f"has images of shape {images.shape[1:]}, train_x {arrays['train_x'].shape[1:]}",
            )
        check_labels(labels, np.iinfo(np.int32).max, field=f"{split}_y", path=path)
        arrays[f"{split}_y"] = labels.astype(np.int32)
    return arrays


def check_labels(
    labels: npt.NDArray[Any], num_classes: int, *, field: str, path: pathlib.Path
) -> None:
    """Makes sure that labels are class indices.

    Args:
        labels: [num_examples] int.
        num_classes: How many classes there are.
        field: The array's name, for the error.
        path: The file, for the error.

    Raises:
        DataError: If one is not in `0..num_classes-1`.
    """
    wrong = np.flatnonzero((labels < 0) | (labels >= num_classes))
    if len(wrong):
        raise _error(
            path,
            field,
            f"has the label {labels[wrong[0]]} at example {wrong[0]}; labels must be in"
            f" 0..{num_classes - 1}",
        )


def _read_member(archive: zipfile.ZipFile, field: str, path: pathlib.Path) -> npt.NDArray[Any]:
    name = f"{field}.npy"
    if name not in archive.namelist():
        raise _error(path, field, f"is missing; the file holds {archive.namelist()[:8]}")
    size = archive.getinfo(name).file_size
    try:
        with archive.open(name) as member:
            version = np.lib.format.read_magic(member)
            if version == (1, 0):
                shape, by_columns, dtype = np.lib.format.read_array_header_1_0(member)
            elif version == (2, 0):
                shape, by_columns, dtype = np.lib.format.read_array_header_2_0(member)
            else:
                raise _error(path, field, f"is of version {version} of the .npy format")
            if dtype.hasobject:
                raise _error(path, field, "holds pickled objects, which are not read")
            num_bytes = dtype.itemsize * int(np.prod(shape, dtype=object))
            if member.tell() + num_bytes != size:
                raise _error(
                    path, field, f"has {size - member.tell()} bytes for {shape} of {dtype}"
                )
            content = member.read()  # To the end, where the checksum is verified.
    except DataError:
        raise
    except _MALFORMED as error:
        raise _error(path, field, f"is truncated or malformed ({error})") from None
    array = np.frombuffer(content, dtype)
    return array.reshape(shape, order="F" if by_columns else "C")


def _check_form(
    images: npt.NDArray[Any], labels: npt.NDArray[Any], split: str, path: pathlib.Path
) -> None:
    if images.dtype != np.uint8 or images.ndim not in (3, 4) or 0 in images.shape:
        raise _error(
            path,
            f"{split}_x",
            f"has shape {images.shape} and dtype {images.dtype}; images must be uint8"
            " [num_examples, height, width] or with channels last",
        )
    if labels.dtype.kind not in "iu" or labels.ndim != 1:
        raise _error(
            path,
            f"{split}_y",
            f"has shape {labels.shape} and dtype {labels.dtype}; labels must be integers"
            " [num_examples]",
        )
    if len(images) != len(labels):
        raise _error(path, f"{split}_y", f"has {len(labels)} labels for {len(images)} images")


def _error(path: pathlib.Path, field: str | None, problem: str) -> DataError:
    place = f"{path}" if field is None else f"{path}, field {field!r}"
    return DataError(f"{place}: {problem}.")
