"""LEAF's JSON as a data set by name."""

from __future__ import annotations

import os

from leaf_data.federated_dataset import FederatedDataset
from leaf_data.leaf_json.image_names import as_images
from leaf_data.leaf_json.reader import parse_shape, read_leaf_json
from leaf_data.leaf_json.text import as_numbers
from leaf_data.sent140.datasets import LEARNED


def leaf(
    *,
    leaf_dir: str,
    data_dir: str | os.PathLike[str] | None = None,
    shape: str = "",
    embeddings: str = "",
    images: str = "",
) -> FederatedDataset:
    """LEAF's JSON. Its files hold the split, so nothing is random.

    LEAF writes images as flat lists; `shape` makes images of them again.
    Text becomes numbers, see `leaf_json.text`.

    Args:
        leaf_dir: The folder with LEAF's JSON in `train/*.json` and `test/*.json`.
        data_dir: The folder of raw data, where files of word vectors are looked for, too.
        shape: The shape of an image, such as 28x28 or 32x32x3; empty for other data.
        embeddings: What stands for words, as in `sent140`; learned if it is empty.
        images: The folder of the images if `x` has their names, as in CelebA; else empty.

    Returns:
        The data set.

    Raises:
        DataError: If the files are no such data, or do not fit the shape.
    """
    dataset = read_leaf_json(leaf_dir, shape=parse_shape(shape) if shape else None)
    if images:
        return as_images(dataset, images)
    return as_numbers(dataset, embeddings=embeddings or LEARNED, data_dir=data_dir)
