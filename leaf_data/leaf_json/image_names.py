"""LEAF's JSON with names of image files, as for CelebA: x is `000001.jpg`."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from leaf_data import raw_files
from leaf_data.checks import check_path
from leaf_data.client_data import ArrayClientData
from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset

# LEAF, models/celeba/cnn.py.
IMAGE_SIZE = 84

_IMAGE_NAME = re.compile(r"\S.*\.(jpe?g|png|bmp|gif|tiff?|webp)", re.IGNORECASE)


def are_image_names(texts: npt.NDArray[Any]) -> bool:
    """Says whether all of some texts, [...] of UTF-8 `bytes`, are names of image files."""
    return texts.size > 0 and all(_IMAGE_NAME.fullmatch(text.decode()) for text in texts.flat)


def as_images(dataset: FederatedDataset, folder: str | os.PathLike[str]) -> FederatedDataset:
    """Reads the images that a data set names.

    As LEAF's model of CelebA does, each is scaled to 84 by 84 pixels in RGB, whatever its
    proportions. Decision: bicubic, Pillow's default today; LEAF's version of Pillow had another.

    Args:
        dataset: A data set of `read_leaf_json` in which `x` is the name of an image. Its labels
            stay; for CelebA they say whether somebody smiles.
        folder: The folder that holds the images, CelebA's `img_align_celeba`.

    Returns:
        The data set. `x`: [84, 84, 3] uint8; `y`: as it was.

    Raises:
        ValueError: If `folder` is no path.
        DataError: If `x` is no name of an image, or if an image is missing, is outside the folder,
            or cannot be read.
    """
    check_path("folder", folder)
    root = raw_files.note(pathlib.Path(folder).expanduser().resolve())
    names = [split.arrays["x"] for split in (dataset.train, dataset.test)]
    if dataset.train.element_type_structure["x"] != tf.TensorSpec([], tf.string) or not (
        are_image_names(np.concatenate(names))
    ):
        raise DataError(
            f"data set {dataset.name!r}: x is not the name of one image each; the folder of images,"
            f" {root}, is of no use for it."
        )
    train, test = (
        ArrayClientData.from_arrays(
            split.client_ids,
            {"x": _read_all(of_split, root), "y": split.arrays["y"]},
            split.row_splits,
        )
        for split, of_split in zip((dataset.train, dataset.test), names)
    )
    return dataclasses.replace(dataset, train=train, test=test)


def _read_all(names: npt.NDArray[Any], root: pathlib.Path) -> npt.NDArray[np.uint8]:
    images = np.empty((len(names), IMAGE_SIZE, IMAGE_SIZE, 3), np.uint8)
    for row, name in enumerate(names):
        images[row] = _read(root, name.decode())
    return images


def _read(root: pathlib.Path, name: str) -> npt.NDArray[np.uint8]:
    path = raw_files.note(root / name)
    if not path.resolve().is_relative_to(root):
        raise DataError(f"{path}: is not in the folder of images, {root}.")
    import PIL.Image  # Of the extra "data".

    try:
        with PIL.Image.open(path) as image:
            if image.mode[0] in "IF":  # Pillow would cut off what is above 255.
                raise ValueError(f"its pixels are no bytes: mode {image.mode}")
            return np.asarray(image.convert("RGB").resize((IMAGE_SIZE, IMAGE_SIZE)))
    except (OSError, ValueError, SyntaxError, PIL.Image.DecompressionBombError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: cannot be read as an image ({reason}).") from None
