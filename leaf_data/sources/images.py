"""The image data sets by name, from a local file or else from TFDS."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_one_of
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.sources import tfds_cache
from leaf_data.sources.image_zip import read_image_zip
from leaf_data.sources.npz import check_labels, read_npz
from leaf_data.sources.stand_ins import CIFAR10_JPEG


@dataclasses.dataclass(frozen=True)
class LabelledImages:
    """A pool of labelled images with its official split.

    Each split is in the order of the images' bytes, which does not depend on the source: TFDS
    shuffles what it prepares, and the files have orders of their own. So a partition of one seed
    gives every client the same images, wherever they come from.

    Attributes:
        train_x: [num_train, height, width] uint8, or [num_train, height, width, 3]; 0 is black.
        train_y: [num_train] int32, in `0..num_classes-1`.
        test_x: Likewise.
        test_y: Likewise.
        num_classes: The number of classes.
        origin: Where they come from, to be recorded with results.
    """

    train_x: npt.NDArray[np.uint8]
    train_y: npt.NDArray[np.int32]
    test_x: npt.NDArray[np.uint8]
    test_y: npt.NDArray[np.int32]
    num_classes: int
    origin: str


@dataclasses.dataclass(frozen=True)
class _Source:
    """Where a pool of images comes from.

    Attributes:
        files: The local files, in order of preference; `.npz`, or `.zip` of JPEG.
        builder: TFDS' name.
        address: What TFDS downloads.
        image_shape: (height, width) or (height, width, channels).
        num_classes: The number of classes.
        transposed: Whether TFDS' images have rows and columns exchanged.
    """

    files: tuple[str, ...]
    builder: str
    address: str
    image_shape: tuple[int, ...]
    num_classes: int
    transposed: bool = False


_SOURCES = {
    "mnist": _Source(
        files=("mnist.npz",),
        builder="mnist",
        address="https://storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz",
        image_shape=(28, 28),
        num_classes=10,
    ),
    "fashion_mnist": _Source(
        files=("fashion_mnist.npz",),
        builder="fashion_mnist",
        address="http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
        "train-images-idx3-ubyte.gz",
        image_shape=(28, 28),
        num_classes=10,
    ),
    "cifar10": _Source(
        files=("cifar10.npz", CIFAR10_JPEG),
        builder="cifar10",
        address="https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        image_shape=(32, 32, 3),
        num_classes=10,
    ),
    "emnist_byclass": _Source(
        files=("emnist_byclass.npz",),
        builder="emnist/byclass",
        address="https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip",
        image_shape=(28, 28),
        num_classes=62,
        transposed=True,
    ),
}


def read_images(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    looked_for: Sequence[pathlib.Path] = (),
) -> LabelledImages:
    """Reads a pool of labelled images: the local file, if there is one, else TFDS' copy.

    Args:
        name: "mnist", "fashion_mnist", "cifar10" or "emnist_byclass".
        data_dir: The folder of raw and cached data, or None for the default. The local files are
            `<name>.npz` with `train_x`, `train_y`, `test_x` and `test_y` (see `read_npz`); for
            CIFAR-10 also `cifar10_jpeg.zip` (see `read_image_zip`).
        dataset: The data set that needs them, for errors; None for `name`.
        looked_for: Local files that the caller looked for before, for errors.

    Returns:
        The images, upright, and their labels. EMNIST's are 0-9, A-Z, a-z.

    Raises:
        ValueError: If the name is unknown.
        DataError: If a file is truncated, malformed or mislabelled, or there is none and TFDS
            cannot download the data set.
    """
    check_one_of("name", name, tuple(_SOURCES))
    source = _SOURCES[name]
    root = resolve_data_dir(data_dir)
    paths = [root / file for file in source.files]
    for path in paths:
        if path.is_file():
            return read_image_file(
                path, image_shape=source.image_shape, num_classes=source.num_classes
            )
    builder = tfds_cache.prepare_tfds(
        dataset or name,
        source.builder,
        data_dir=data_dir,
        address=source.address,
        looked_for=[*paths, *looked_for],
    )
    splits = {split: tfds_cache.read_split(builder, split) for split in ("train", "test")}
    arrays: dict[str, npt.NDArray[Any]] = {}
    for split, features in splits.items():
        arrays[f"{split}_x"] = _upright(features["image"], transposed=source.transposed)
        arrays[f"{split}_y"] = features["label"].astype(np.int32)
    origin = f"tensorflow_datasets {builder.info.full_name}"
    return _in_order(arrays, source.num_classes, origin)


def read_image_file(
    path: pathlib.Path, *, image_shape: tuple[int, ...], num_classes: int
) -> LabelledImages:
    """Reads a pool of labelled images from one local file.

    Args:
        path: An `.npz` (see `read_npz`), or else a zip of JPEG images (see `read_image_zip`).
        image_shape: (height, width) or (height, width, channels) of every image; a channel axis of
            length 1 in the file is dropped.
        num_classes: Labels must be below it.

    Returns:
        The images.

    Raises:
        DataError: If the file cannot be read, is truncated, malformed or mislabelled.
    """
    if path.suffix == ".npz":
        arrays = read_npz(path)
    else:
        arrays = read_image_zip(path, image_shape=image_shape)
    for split in ("train", "test"):
        check_labels(arrays[f"{split}_y"], num_classes, field=f"{split}_y", path=path)
        images = arrays[f"{split}_x"]
        if images.shape[1:] == (*image_shape, 1):
            images = arrays[f"{split}_x"] = images[..., 0]
        if images.shape[1:] != image_shape:
            raise DataError(
                f"{path}, field '{split}_x': has images of shape {images.shape[1:]}, not"
                f" {image_shape}."
            )
    return _in_order(arrays, num_classes, path.name)


def _in_order(arrays: dict[str, npt.NDArray[Any]], num_classes: int, origin: str) -> LabelledImages:
    """Sorts each split by its images' bytes and, where images are the same, by label."""
    for split in ("train", "test"):
        x, y = arrays[f"{split}_x"], arrays[f"{split}_y"]
        rows = np.column_stack([x.reshape(len(x), -1), y.astype(np.uint8)])
        order = np.argsort(rows.view(f"V{rows.shape[1]}").ravel())
        arrays[f"{split}_x"], arrays[f"{split}_y"] = x[order], y[order]
    return LabelledImages(**arrays, num_classes=num_classes, origin=origin)


def _upright(images: npt.NDArray[np.uint8], *, transposed: bool) -> npt.NDArray[np.uint8]:
    """TFDS' images without a channel axis of length 1, rows before columns."""
    if images.shape[-1] == 1:
        images = images[..., 0]
    return np.ascontiguousarray(images.swapaxes(1, 2)) if transposed else images
