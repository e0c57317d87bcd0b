"""FedProx's and FedFa's FEMNIST: 200 clients with five of the letters a to j each."""

from __future__ import annotations

import collections
import pathlib
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data import partitioners
from leaf_data.checks import (
    check_fraction,
    check_integer,
    check_one_of,
    check_seed,
    check_truth_value,
)
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.examples import Examples
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.image_datasets import emnist_by_writer, femnist_npz
from leaf_data.local_files import find_file
from leaf_data.pooling import split_each_client
from leaf_data.sources import LabelledImages, read_images
from leaf_data.sources.images import read_image_file
from leaf_data.sources.stand_ins import FEMNIST_BY_WRITER, LETTERS

_FIRST_LETTER = 36  # 'a' among EMNIST's classes 0-9, A-Z, a-z.
_NUM_LETTERS = 10
_INKS = ("dark", "light")
_EMNIST = "emnist"
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
    letters: str = _EMNIST,
    hand_out_all: bool = False,
) -> FederatedDataset:
    """Loads the handwritten letters a to j in clients of five letters, of lognormal sizes.

    Sources: FedProx (arXiv:1812.06127), section 5.1 and appendix C.1, and FedFa, section 4.1 and
    table 1. The small letters come from the first of these files in the folder:

    1. `emnist_byclass.npz`, EMNIST's 62 classes as `sources.read_npz` reads them;
    2. `emnist_all.sqlite`, TFF's EMNIST by writer;
    3. `femnist*.npz`, LEAF's FEMNIST by writer as `femnist_npz.read` reads it, or a part of it;
    4. TFDS' `emnist/byclass`, prepared or to be downloaded.

    Other letters stand in for them only on request, with a warning: results on them are not results
    on FEMNIST. `origin` of the data set says where its letters come from.

    If there are fewer than the paper's 18,345 letters, use fewer clients: with a quarter of the
    letters, `num_clients=50` and `hand_out_all` give the paper's mean of 92.

    The pool is the training and test set together, and each client's own examples are split.
    FedProx's script takes at most 4,000 of NIST's raw images of a letter. This limit is left out,
    as it would hardly ever matter.

    Args:
        seed: The seed of partition and split, a non-negative integer.
        data_dir: The folder of raw and cached data, or None for the default.
        num_clients: How many clients to make.
        classes_per_client: How many letters each has, from 1 to 10. FedProx's script has 3.
        train_fraction: The share of each client's examples used for training, in (0, 1]. FedFa uses
            0.8, FedProx's authors 0.9.
        ink: "dark", 0 on 255, as in the JSON of LEAF and of FedProx; or "light", 255 on 0, as in
            EMNIST.
        letters: "emnist", or a stand-in, whose first ten classes are taken. "emnist_letters"
            are EMNIST's letters with capitals and small letters as one class, from
            `emnist_letters*.npz` or `letters.npz`. "devanagari" are from `devanagari_letters.npz`.
        hand_out_all: Whether clients get all letters there are; see
            `partitioners.classes_per_client`.

    Returns:
        The data set `femnist`. `x`: [28, 28] uint8; `y`: scalar int32, 0 for a to 9 for j.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If there are no letters, or they cannot be read.
    """
    # Arguments that need no images are checked before reading.
    check_seed("seed", seed)
    check_integer("num_clients", num_clients, least=1)
    check_integer("classes_per_client", classes_per_client, least=1)
    check_fraction("train_fraction", train_fraction)
    check_one_of("ink", ink, _INKS)
    check_one_of("letters", letters, (_EMNIST, *LETTERS))
    check_truth_value("hand_out_all", hand_out_all)
    pool, origin = _emnist(data_dir) if letters == _EMNIST else _stand_in(letters, data_dir)
    if ink == "dark":
        pool["x"] = 255 - pool["x"]
    partitions = partitioners.classes_per_client(
        pool["y"],
        num_clients=num_clients,
        classes_per_client=classes_per_client,
        hand_out_all=hand_out_all,
        seed=seed,
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


def _emnist(data_dir: str | None) -> tuple[Examples, str]:
    """Images of the letters, ink 255 on 0, their labels, and their source."""
    root = resolve_data_dir(data_dir)
    if not (root / "emnist_byclass.npz").is_file():
        folder, path = emnist_by_writer.find(data_dir), femnist_npz.find(data_dir)
        if folder is not None:
            return _letters_by_writer(folder), emnist_by_writer.FILE_NAME
        if path is not None:
            of_splits = femnist_npz.read(path).examples.values()
            x, y = (np.concatenate([part[field] for part in of_splits]) for field in "xy")
            return _select(x, y, first=_FIRST_LETTER, origin=path.name), path.name
    try:
        images = read_images(
            "emnist_byclass",
            data_dir=data_dir,
            dataset="femnist",
            looked_for=[root / name for name in (emnist_by_writer.FILE_NAME, FEMNIST_BY_WRITER)],
        )
    except DataError as error:
        there = [kind for kind, names in LETTERS.items() if find_file(root, *names)]
        if not there:
            raise
        raise DataError(
            f"{str(error).rstrip('.')}; what is there in their place is read with"
            f" --dataset_option=letters={there[0]}."
        ) from error
    return _pooled(images, first=_FIRST_LETTER), images.origin


def _stand_in(letters: str, data_dir: str | None) -> tuple[Examples, str]:
    root = resolve_data_dir(data_dir)
    path = find_file(root, *LETTERS[letters])
    if path is None:
        files = " or ".join(str(root / name) for name in LETTERS[letters])
        raise DataError(
            f"data set 'femnist': there is no {files}, which letters={letters} needs; put the file"
            " there, or name the folder that holds it with --data_dir."
        )
    warnings.warn(
        f"{path} stands in for EMNIST's letters: results on it are not results on FEMNIST.",
        stacklevel=3,
    )
    images = read_image_file(path, image_shape=(28, 28), num_classes=256)
    return _pooled(images, first=0), path.name


def _letters_by_writer(folder: pathlib.Path) -> Examples:
    """The letters of all writers, with the colours of EMNIST's other copies: ink 255 on 0."""
    x, y = [], []
    for split in ("train", "test"):
        for _, examples in emnist_by_writer.read_writers(folder, split):
            chosen = _is_letter(examples["y"], _FIRST_LETTER)
            x.append(255 - examples["x"][chosen])
            y.append(examples["y"][chosen] - _FIRST_LETTER)
    return _all_letters(np.concatenate(x), np.concatenate(y), emnist_by_writer.FILE_NAME)


def _pooled(images: LabelledImages, *, first: int) -> Examples:
    x = np.concatenate([images.train_x, images.test_x])
    y = np.concatenate([images.train_y, images.test_y])
    return _select(x, y, first=first, origin=images.origin)


def _select(x: npt.NDArray[Any], y: npt.NDArray[Any], *, first: int, origin: str) -> Examples:
    chosen = _is_letter(y, first)
    return _all_letters(x[chosen], y[chosen] - first, origin)


def _all_letters(x: npt.NDArray[Any], y: npt.NDArray[Any], origin: str) -> Examples:
    num_letters = len(np.unique(y))
    if num_letters < _NUM_LETTERS:
        raise DataError(f"{origin}: has only {num_letters} of the {_NUM_LETTERS} letters.")
    return collections.OrderedDict(x=x, y=y)


def _is_letter(y: npt.NDArray[np.int32], first: int) -> npt.NDArray[np.bool_]:
    return (y >= first) & (y < first + _NUM_LETTERS)
