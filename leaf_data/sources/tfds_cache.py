"""Data sets of `tensorflow_datasets`, prepared once below the data directory."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from leaf_data import extras
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.sources.fetching import missing_data, require_network

if TYPE_CHECKING:
    import tensorflow_datasets as tfds

FOLDER = "tensorflow_datasets"


def prepare_tfds(
    dataset: str,
    builder: str | Callable[..., tfds.core.DatasetBuilder],
    *,
    data_dir: str | os.PathLike[str] | None,
    address: str,
    looked_for: Sequence[pathlib.Path] = (),
) -> tfds.core.DatasetBuilder:
    """Downloads and prepares a data set with TFDS, unless that was done before.

    TFDS verifies the downloads' checksums, and prepares into a directory of another name that it
    renames at the end: what has the final name is whole.

    Args:
        dataset: This project's name of the data set, for errors.
        builder: TFDS' name, such as "mnist" or "emnist/byclass", or a builder class, which is
            called with `data_dir=`.
        data_dir: The folder of raw and cached data, or None for the default; TFDS works in
            `tensorflow_datasets` below it.
        address: What TFDS downloads, for a quick look at the network and for errors.
        looked_for: The local files that were looked for before, for errors.

    Returns:
        The builder, its data prepared: `as_dataset` and `as_data_source` work.

    Raises:
        DataError: If the data is not prepared and cannot be downloaded, in one sentence and within
            seconds where there is no network.
    """
    tfds = extras.require("tensorflow_datasets")
    folder = resolve_data_dir(data_dir) / FOLDER
    built = (
        tfds.builder(builder, data_dir=folder)
        if isinstance(builder, str)
        else builder(data_dir=folder)
    )
    prepared = pathlib.Path(built.data_dir)
    if prepared.is_dir():
        return built
    places = [*looked_for, prepared]
    require_network(dataset, looked_for=places, address=address)
    # TFDS' Google Cloud Storage is left out: without credentials it is tried for minutes.
    configuration = tfds.download.DownloadConfig(try_download_gcs=False)
    download_errors = (
        OSError,
        tfds.core.download.DownloadError,
        tfds.core.download.download_manager.NonMatchingChecksumError,
        tfds.core.download.extractor.ExtractError,
    )
    try:
        built.download_and_prepare(download_config=configuration)
    except download_errors as error:
        if prepared.is_dir():  # By another program, meanwhile.
            return built
        reason = " ".join(str(error).split()) or type(error).__name__
        raise missing_data(dataset, looked_for=places, address=address, reason=reason) from error
    return built


def read_split(builder: tfds.core.DatasetBuilder, split: str) -> dict[str, Any]:
    """All examples of a prepared split.

    Args:
        builder: What `prepare_tfds` returned.
        split: TFDS' name of the split.

    Returns:
        For each feature an array [num_examples, ...].

    Raises:
        DataError: If the prepared files are damaged.
    """
    tfds = extras.require("tensorflow_datasets")
    try:
        return tfds.as_numpy(builder.as_dataset(split=split, batch_size=-1))
    except tf.errors.OpError:
        raise DataError(
            f"{builder.data_dir}: TFDS' prepared files are damaged; remove it to have them prepared"
            " again."
        ) from None
