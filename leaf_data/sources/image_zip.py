"""Labelled images from a zip of image files in folders by class."""

from __future__ import annotations

import pathlib
import warnings
import zipfile
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from leaf_data import raw_files
from leaf_data.errors import DataError


def read_image_zip(
    path: pathlib.Path, *, image_shape: tuple[int, ...]
) -> dict[str, npt.NDArray[Any]]:
    """Decodes `train/<class>/<name>.jpg` and `test/<class>/<name>.jpg`.

    The labels are the places of the classes' names in alphabetical order; the images are in the
    order of their paths, class after class. JPEG is lossy, which a warning says.

    Args:
        path: The zip file.
        image_shape: (height, width, channels) that every image must have.

    Returns:
        `train_x`, `test_x` [num_examples, height, width, channels] uint8, and `train_y`, `test_y`
        [num_examples] int32.

    Raises:
        DataError: If the file cannot be read, is truncated or malformed, a split has no images,
            train and test have different classes, or an image is no JPEG of the shape.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    classes: dict[str, list[str]] = {}
    try:
        with zipfile.ZipFile(raw_files.note(path)) as archive:
            for split in ("train", "test"):
                names = sorted(
                    name
                    for name in archive.namelist()
                    if name.startswith(f"{split}/") and name.endswith(".jpg")
                )
                if not names:
                    raise DataError(f"{path}: has no {split}/<class>/<name>.jpg.")
                class_of_each = [name.split("/")[1] for name in names]
                classes[split] = sorted(set(class_of_each))
                arrays[f"{split}_y"] = np.searchsorted(classes[split], class_of_each).astype(
                    np.int32
                )
                contents = [archive.read(name) for name in names]
                try:
                    arrays[f"{split}_x"] = _decode_all(contents, image_shape)
                except tf.errors.InvalidArgumentError:
                    raise _first_error(contents, names, image_shape, path) from None
    except DataError:
        raise
    except (EOFError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path}: is no whole zip file ({error}).") from None
    if classes["train"] != classes["test"]:
        raise DataError(
            f"{path}: has the classes {classes['train']} in train, but {classes['test']} in test."
        )
    warnings.warn(
        f"{path}: its images are JPEG, which is lossy: results on them are not quite results on the"
        " original.",
        stacklevel=2,
    )
    return arrays


def _decode(content: tf.Tensor, image_shape: tuple[int, ...]) -> tf.Tensor:
    image = tf.io.decode_jpeg(content, channels=image_shape[2], dct_method="INTEGER_ACCURATE")
    return tf.ensure_shape(image, image_shape)


def _decode_all(contents: list[bytes], image_shape: tuple[int, ...]) -> npt.NDArray[np.uint8]:
    """In one pipeline, as 60,000 calls from Python take several times as long."""
    images = tf.data.Dataset.from_tensor_slices(contents).map(
        lambda content: _decode(content, image_shape), num_parallel_calls=tf.data.AUTOTUNE
    )
    return np.concatenate(list(images.batch(1024).as_numpy_iterator()))


def _first_error(
    contents: list[bytes], names: list[str], image_shape: tuple[int, ...], path: pathlib.Path
) -> DataError:
    for content, name in zip(contents, names):
        try:
            image = tf.io.decode_jpeg(content, channels=image_shape[2])
        except tf.errors.InvalidArgumentError:
            return DataError(f"{path}, {name}: is no whole JPEG image.")
        if image.shape != image_shape:
            return DataError(
                f"{path}, {name}: is an image of shape {tuple(image.shape)}, not {image_shape}."
            )
    raise AssertionError("every image can be decoded")
