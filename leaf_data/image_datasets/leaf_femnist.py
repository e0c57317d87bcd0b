"""LEAF's FEMNIST: EMNIST's 62 classes, a client for each writer."""

from __future__ import annotations

import collections
import pathlib

from leaf_data.client_data import ArrayClientData, client_examples
from leaf_data.errors import DataError
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.image_datasets import emnist_by_writer, femnist_npz
from leaf_data.leaf_json.reader import read_leaf_json

_NAME = "leaf_femnist"
# TFF's documentation of `tff.simulation.datasets.emnist`: 671,585 train and 77,483 test.
_DOCUMENTED_BY_TFF = DocumentedStatistics(num_clients=3400, num_samples=749_068)
# LEAF (arXiv:1812.01097), table 1.
_DOCUMENTED_BY_LEAF = DocumentedStatistics(
    num_clients=3550,
    num_samples=805_263,
    mean_samples_per_client=226.83,
    stdev_samples_per_client=88.94,
)


def leaf_femnist(*, data_dir: str | None = None, leaf_dir: str | None = None) -> FederatedDataset:
    """Loads FEMNIST by writer, from TFF's SQLite file or from LEAF's own.

    TFF's file is LEAF's data set, with each writer's examples split by TFF. LEAF's scripts on
    NIST's raw images write JSON; an `.npz` is that JSON repacked. Nothing is random. From an `.npz`
    with a part of FEMNIST, only writers with all their images are taken.

    Args:
        data_dir: The folder of raw and cached data: TFF's `emnist_all.sqlite` is looked for in it,
            then LEAF's `femnist*.npz` (see `femnist_npz.read`); TFF downloads its file to `tff/`
            below it.
        leaf_dir: The folder with LEAF's JSON in `train/*.json` and `test/*.json`, to be read
            instead.

    Returns:
        The data set `leaf_femnist`. `x`: [28, 28] uint8, dark ink on 255; `y`: scalar int32, the
        classes 0-9, A-Z, a-z.

    Raises:
        DataError: If the data cannot be read, or is truncated, malformed or mislabelled.
    """
    if leaf_dir is not None:
        return _from_json(leaf_dir)
    packed = femnist_npz.find(data_dir)
    if packed is not None and emnist_by_writer.find(data_dir) is None:
        return _from_npz(packed)
    folder = emnist_by_writer.fetch(_NAME, data_dir=data_dir)
    train, test = (
        ArrayClientData(emnist_by_writer.read_writers(folder, split)) for split in ("train", "test")
    )
    if train.client_ids != test.client_ids:
        raise DataError(
            f"{folder / emnist_by_writer.FILE_NAME}: train and test have different writers."
        )
    return FederatedDataset(
        name=_NAME,
        train=train,
        test=test,
        num_classes=emnist_by_writer.NUM_CLASSES,
        documented=_DOCUMENTED_BY_TFF,
        origin=emnist_by_writer.FILE_NAME,
    )


def _from_npz(path: pathlib.Path) -> FederatedDataset:
    images = femnist_npz.read(path)
    ids = [writer for writer, is_whole in zip(images.writers, images.is_whole) if is_whole]
    if not ids:
        raise DataError(f"{path}, field 'status': no writer is 2, which is whole.")
    train, test = (
        ArrayClientData.from_partitions(
            ids,
            collections.OrderedDict(x=255 - examples["x"], y=examples["y"]),
            images.of_whole_writers(split),
        )
        for split, examples in images.examples.items()
    )
    return FederatedDataset(
        name=_NAME,
        train=train,
        test=test,
        num_classes=emnist_by_writer.NUM_CLASSES,
        documented=_DOCUMENTED_BY_LEAF,
        origin=path.name,
    )


def _from_json(leaf_dir: str) -> FederatedDataset:
    dataset = read_leaf_json(leaf_dir, name=_NAME, num_classes=emnist_by_writer.NUM_CLASSES)
    splits = {}
    for split, client_data in (("train", dataset.train), ("test", dataset.test)):
        splits[split] = ArrayClientData(
            (
                client_id,
                emnist_by_writer.as_examples(
                    *client_examples(client_data, client_id).values(),
                    place=f"{leaf_dir}, client {client_id!r}, {split}",
                ),
            )
            for client_id in client_data.client_ids
        )
    return FederatedDataset(
        name=_NAME,
        train=splits["train"],
        test=splits["test"],
        num_classes=emnist_by_writer.NUM_CLASSES,
        origin="LEAF's JSON",
    )
