"""TFF's own federated data sets, as SQLite files below the data directory."""

from __future__ import annotations

import lzma
import os
import pathlib
import sqlite3
from collections.abc import Callable
from typing import Any

from leaf_data import raw_files
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.local_files import open_database
from leaf_data.sources.fetching import missing_data, require_network, whole_directory

FOLDER = "tff"
_DOWNLOAD_ERRORS = (OSError, lzma.LZMAError, sqlite3.Error, StopIteration)  # Of TFF's loaders.
_TABLES = {"client_metadata", "examples"}
ADDRESS = "https://storage.googleapis.com/tff-datasets-public"


def fetch_tff_sqlite(
    dataset: str,
    file_name: str,
    load_data: Callable[..., Any],
    *,
    data_dir: str | os.PathLike[str] | None,
) -> pathlib.Path:
    """The directory with a data set's SQLite file, downloaded by TFF unless it is there.

    TFF downloads straight to the file's final name, takes whatever has that name for whole, and
    does not notice a connection that ends too early. So it downloads to a temporary directory here,
    which is renamed when the file is there and as long as it says itself.

    Args:
        dataset: This project's name of the data set, for errors.
        file_name: TFF's name of the file, such as "emnist_all.sqlite".
        load_data: TFF's loader, which is called with `cache_dir=`.
        data_dir: The folder of raw and cached data, or None for the default. The file is looked for
            in it, and in `tff/<stem of the file's name>` below it, where downloads go.

    Returns:
        The directory, to be given to TFF's loader as `cache_dir`.

    Raises:
        DataError: If the file is truncated or not TFF's, or is not there and cannot be
            downloaded, in one sentence and within seconds where there is no network.
    """
    found = find_tff_sqlite(file_name, data_dir=data_dir)
    if found is not None:
        return found
    root, cache = _folders(file_name, data_dir)
    looked_for = [root / file_name]
    address = f"{ADDRESS}/{file_name}.lzma"
    require_network(dataset, looked_for=looked_for, address=address)
    try:
        with whole_directory(cache) as temporary:
            load_data(cache_dir=str(temporary))
            _check_whole(temporary / file_name)
    except _DOWNLOAD_ERRORS as error:
        reason = str(error) or "the file has no examples"
        raise missing_data(
            dataset, looked_for=looked_for, address=address, reason=reason
        ) from error
    return cache


def find_tff_sqlite(
    file_name: str, *, data_dir: str | os.PathLike[str] | None
) -> pathlib.Path | None:
    """The directory with a data set's SQLite file, if it is on this machine.

    Args:
        file_name: As in `fetch_tff_sqlite`.
        data_dir: As in `fetch_tff_sqlite`.

    Returns:
        The directory, or None.

    Raises:
        DataError: If the file is truncated or not TFF's.
    """
    for folder in _folders(file_name, data_dir):
        if (folder / file_name).is_file():
            _check_whole(folder / file_name)
            return folder
    return None


def _folders(
    file_name: str, data_dir: str | os.PathLike[str] | None
) -> tuple[pathlib.Path, pathlib.Path]:
    """Where users put the file, and where TFF's download goes."""
    root = resolve_data_dir(data_dir).absolute()  # SQLite's addresses need it.
    return root, root / FOLDER / pathlib.PurePath(file_name).stem


def _check_whole(path: pathlib.Path) -> None:
    """Looks for TFF's tables, and compares the file's size with the one in its header."""
    raw_files.note(path)
    try:
        with open_database(path) as database:
            (page_count,) = database.execute("PRAGMA page_count").fetchone()
            (page_size,) = database.execute("PRAGMA page_size").fetchone()
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    # SQLite's own messages quote the file, whose bytes need be no text.
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DataError(f"{path}: is no whole SQLite database ({error}).") from None
    missing = sorted(_TABLES - tables)
    if missing:
        raise DataError(f"{path}: has no tables {missing}; TFF's files have.")
    if path.stat().st_size != page_count * page_size:
        raise DataError(
            f"{path}: has {path.stat().st_size} bytes, but its header says"
            f" {page_count * page_size}; it is truncated."
        )
