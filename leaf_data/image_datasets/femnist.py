"""FedProx's and FedFa's FEMNIST: 200 clients with five of the letters a to j each."""

from __future__ import annotations

import collections
import pathlib
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data import partitioners
from leaf_data.checks import check_fraction, check_integer, check_one_of, check_seed
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.examples import Examples
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.image_datasets import emnist_by_writer
from leaf_data.image_datasets.pooling import split_each_client
from leaf_data.sources import LabelledImages, read_images
from leaf_data.sources.images import read_image_file
from leaf_data.sources.stand_ins import LETTERS

_FIRST_LETTER = 36  # 'a' among EMNIST's classes 0-9, A-Z, a-z.
_NUM_LETTERS = 10
_INKS = ("dark", "light")
_DOCUMENTED = DocumentedStatistics(
    num_clients=200,
    num_samples=18_345,
    mean_samples_per_client=92,
    stdev_samples_per_client=159,
)


def femnist(
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_clients: int = 200,
    classes_per_client: int = 5,
    train_fraction: float = 0.8,
    ink: str = "dark",
) -> FederatedDataset:
    """Loads the handwritten letters a to j in clients of five letters, of lognormal sizes.

    Sources: FedProx (arXiv:1812.06127), section 5.1 and appendix C.1, and FedFa, section 4.1 and
    table 1. The letters come from the first of these that is in the folder:

    1. `emnist_byclass.npz`, EMNIST's 62 classes as `sources.read_npz` reads them;
    2. `emnist_all.sqlite`, TFF's EMNIST by writer;
    3. a stand-in for EMNIST, `letters.npz` or `devanagari_letters.npz`, whose first ten classes are
       taken, with a warning: results on it are not results on FEMNIST;
    4. TFDS' `emnist/byclass`, prepared or to be downloaded.

    `origin` of the data set says which. The pool is all letters, training and test set together,
    and each client's own examples are split. FedProx's script takes at most 4,000 images of a
    letter from NIST's raw images; that limit is left out, as it would hardly ever bind.

    Args:
        seed: The seed of partition and split, a non-negative integer.
        data_dir: The folder of raw and cached data, or None for the default.
        num_clients: How many clients to make.
        classes_per_client: How many letters each has, from 1 to 10. FedProx's script has 3.
        train_fraction: The share of each client's examples used for training, in (0, 1]. FedFa uses
            0.8, FedProx's authors 0.9.
        ink: "dark", 0 on 255, as in the JSON of LEAF and of FedProx; or "light", 255 on 0, as in
            EMNIST.

    Returns:
        The data set `femnist`. `x`: [28, 28] uint8; `y`: scalar int32, 0 for a to 9 for j.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If there are no letters, or they cannot be read.
    """
    # What needs no images is checked before they are read.
    check_seed("seed", seed)
    check_integer("num_clients", num_clients, minimum=1)
    check_integer("classes_per_client", classes_per_client, minimum=1)
    check_fraction("train_fraction", train_fraction)
    check_one_of("ink", ink, _INKS)
    pool, origin = _letters(data_dir)
    if ink == "dark":
        pool["x"] = 255 - pool["x"]
    partitions = partitioners.classes_per_client(
        pool["y"], num_clients=num_clients, classes_per_client=classes_per_client, seed=seed
    )
    return split_each_client(
        "femnist",
        pool,
        partitions,
        train_fraction=train_fraction,
        seed=seed,
        num_classes=_NUM_LETTERS,
        documented=_DOCUMENTED,
        origin=origin,
    )


def _letters(data_dir: str | None) -> tuple[Examples, str]:
    """Images, ink 255 on 0, and labels of the letters, and where they come from."""
    root = resolve_data_dir(data_dir)
    if not (root / "emnist_byclass.npz").is_file():
        folder = emnist_by_writer.find(data_dir)
        if folder is not None:
            return _letters_by_writer(folder), emnist_by_writer.FILE_NAME
        for name in LETTERS:
            if (root / name).is_file():
                return _stand_in(root / name), name
    images = read_images(
        "emnist_byclass",
        data_dir=data_dir,
        dataset="femnist",
        looked_for=[root / name for name in (emnist_by_writer.FILE_NAME, *LETTERS)],
    )
    return _select(images, first=_FIRST_LETTER), images.origin


def _stand_in(path: pathlib.Path) -> Examples:
    warnings.warn(
        f"{path} stands in for EMNIST's letters: results on it are not results on FEMNIST.",
        stacklevel=2,
    )
    images = read_image_file(path, image_shape=(28, 28), num_classes=256)
    return _select(images, first=0)


def _letters_by_writer(folder: pathlib.Path) -> Examples:
    """Of all writers, with the colours of EMNIST's other copies: ink 255 on 0."""
    x, y = [], []
    for split in ("train", "test"):
        for _, examples in emnist_by_writer.read_writers(folder, split):
            chosen = _is_letter(examples["y"], _FIRST_LETTER)
            x.append(255 - examples["x"][chosen])
            y.append(examples["y"][chosen] - _FIRST_LETTER)
    return _all_letters(np.concatenate(x), np.concatenate(y), emnist_by_writer.FILE_NAME)


def _select(images: LabelledImages, *, first: int) -> Examples:
    x = np.concatenate([images.train_x, images.test_x])
    y = np.concatenate([images.train_y, images.test_y])
    chosen = _is_letter(y, first)
    return _all_letters(x[chosen], y[chosen] - first, images.origin)


def _all_letters(x: npt.NDArray[Any], y: npt.NDArray[Any], origin: str) -> Examples:
    num_letters = len(np.unique(y))
    if num_letters < _NUM_LETTERS:
        raise DataError(f"{origin}: has only {num_letters} of the {_NUM_LETTERS} letters.")
    return collections.OrderedDict(x=x, y=y)


def _is_letter(y: npt.NDArray[np.int32], first: int) -> npt.NDArray[np.bool_]:
    return (y >= first) & (y < first + _NUM_LETTERS)
