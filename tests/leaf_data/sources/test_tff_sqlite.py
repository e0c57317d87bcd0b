"""Tests of `leaf_data.sources.tff_sqlite`."""

from __future__ import annotations

import lzma
import pathlib
import sqlite3

import image_files
import numpy as np
import pytest

from leaf_data.errors import DataError
from leaf_data.sources import tff_sqlite

_NAME = "toy.sqlite"


def _write(path: pathlib.Path) -> None:
    image_files.write_emnist_sqlite(path, {"train": {"a": (np.zeros((2, 28, 28)), [1, 2])}})


def _refuse(cache_dir: str) -> None:
    raise AssertionError(f"downloads to {cache_dir}")


@pytest.fixture(autouse=True)
def _network(monkeypatch):
    monkeypatch.setattr(tff_sqlite, "require_network", lambda *_, **__: None)


def test_a_local_file_is_used(tmp_path):
    assert tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path) is None
    _write(tmp_path / _NAME)
    assert tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path) == tmp_path
    assert tff_sqlite.fetch_tff_sqlite("toy", _NAME, _refuse, data_dir=tmp_path) == tmp_path


def test_a_download_is_kept(tmp_path):
    folder = tff_sqlite.fetch_tff_sqlite(
        "toy", _NAME, lambda cache_dir: _write(pathlib.Path(cache_dir) / _NAME), data_dir=tmp_path
    )
    assert folder == tmp_path / "tff" / "toy"
    assert tff_sqlite.fetch_tff_sqlite("toy", _NAME, _refuse, data_dir=tmp_path) == folder


@pytest.mark.parametrize("kept", [4096, -1])
def test_a_download_that_ends_too_early_is_not(tmp_path, kept):
    def load_half(cache_dir: str) -> None:
        path = pathlib.Path(cache_dir) / _NAME
        _write(path)
        path.write_bytes(path.read_bytes()[:kept])

    with pytest.raises(DataError, match=f"{_NAME}: "):
        tff_sqlite.fetch_tff_sqlite("toy", _NAME, load_half, data_dir=tmp_path)
    assert list(tmp_path.rglob(_NAME)) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionResetError("reset by peer"), "reset by peer"),
        (lzma.LZMAError("corrupt input"), "corrupt input"),
        (sqlite3.DatabaseError("malformed"), "malformed"),
        (StopIteration(), "the file has no examples"),
    ],
)
def test_a_failed_download_is_one_sentence(tmp_path, error, reason):
    def fail(cache_dir: str) -> None:
        raise error

    with pytest.raises(
        DataError,
        match="data set 'toy': there is no .*toy.sqlite, and https://storage.googleapis.com/"
        f"tff-datasets-public/toy.sqlite.lzma cannot be had .{reason}.",
    ):
        tff_sqlite.fetch_tff_sqlite("toy", _NAME, fail, data_dir=tmp_path)


def test_other_files_are_refused(tmp_path):
    (tmp_path / _NAME).write_text("no database")
    with pytest.raises(DataError, match="is no whole SQLite database"):
        tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path)
    (tmp_path / _NAME).unlink()
    sqlite3.connect(tmp_path / _NAME).execute("CREATE TABLE examples (a)").connection.close()
    with pytest.raises(DataError, match="has no tables .'client_metadata'."):
        tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path)
