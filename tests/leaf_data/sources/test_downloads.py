"""Tests of `leaf_data.sources`' downloads: `fetching`, `tfds_cache` and `tff_sqlite`."""

from __future__ import annotations

import http.server
import pathlib
import socket
import sqlite3
import threading

import image_files
import numpy as np
import pytest
import tensorflow_datasets as tfds

from leaf_data.errors import DataError
from leaf_data.sources import fetching, tfds_cache, tff_sqlite

_FILE = pathlib.Path("/data/digits.npz")


def _require(address: str) -> None:
    fetching.require_network("digits", looked_for=[_FILE], address=address)


@pytest.fixture(autouse=True)
def _network(monkeypatch):
    """As if the addresses answered, and nothing had been generated."""
    monkeypatch.setattr(tff_sqlite, "require_network", lambda *_, **__: None)
    monkeypatch.setattr(tfds_cache, "require_network", lambda *_, **__: None)
    monkeypatch.setattr(Toy, "failure", None)
    monkeypatch.setattr(Toy, "num_generated", 0)


def test_any_answer_is_a_network_and_silence_ends_in_time(monkeypatch):
    """The first server knows no HEAD and answers 501; the second accepts and never answers."""
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        _require(f"http://127.0.0.1:{server.server_port}/x")
    finally:
        server.shutdown()
        server.server_close()
    monkeypatch.setattr(fetching, "_PROBE_TIMEOUT_SECONDS", 0.3)
    message = "no answer within 0.3 seconds|no connection"
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(DataError, match=message):
        _require(f"http://127.0.0.1:{silent.getsockname()[1]}/x")
    # A closed port is none.
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(DataError, match=r"digits\.npz.*refused"):
        _require(f"http://127.0.0.1:{port}/x")


def test_a_directory_is_whole_or_not_there_and_the_faster_process_wins(tmp_path):
    cache = tmp_path / "below" / "cache"
    with pytest.raises(KeyboardInterrupt), fetching.whole_directory(cache) as folder:
        (folder / "a").write_text("1")
        raise KeyboardInterrupt
    assert list(cache.parent.iterdir()) == []
    with fetching.whole_directory(cache) as slow:
        (slow / "a").write_text("slow")
        assert not cache.exists()
        with fetching.whole_directory(cache) as fast:
            (fast / "a").write_text("fast")
    assert [path.name for path in cache.parent.iterdir()] == ["cache"]
    assert (cache / "a").read_text() == "fast"
    assert cache.stat().st_mode == cache.parent.stat().st_mode


_ADDRESS = "http://127.0.0.1/toy"


class Toy(tfds.core.GeneratorBasedBuilder):
    """Five numbers, and a failure on demand."""

    VERSION = tfds.core.Version("1.0.0")
    pkg_dir_path = pathlib.Path(__file__).parent  # TFDS would look for a package.
    failure: BaseException | None = None
    num_generated = 0

    def _info(self):
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict({"label": tfds.features.ClassLabel(num_classes=9)})
        )

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples()}

    def _generate_examples(self):
        for index in range(5):
            if index == 3 and Toy.failure is not None:
                raise Toy.failure
            Toy.num_generated += 1
            yield index, {"label": index}


def _prepare(data_dir: pathlib.Path) -> tfds.core.DatasetBuilder:
    pytest.importorskip("importlib_resources", reason="TFDS prepares nothing without it")
    return tfds_cache.prepare_tfds(
        "toy", Toy, data_dir=data_dir, address=_ADDRESS, looked_for=[data_dir / "toy.npz"]
    )


def test_is_prepared_once_and_an_interruption_leaves_nothing_that_looks_whole(
    tmp_path, monkeypatch
):
    prepared = tmp_path / "tensorflow_datasets" / "toy" / "1.0.0"
    monkeypatch.setattr(Toy, "failure", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        _prepare(tmp_path)
    assert not prepared.exists()
    monkeypatch.setattr(Toy, "failure", None)
    monkeypatch.setattr(Toy, "num_generated", 0)
    for _ in range(2):
        builder = _prepare(tmp_path)
    assert Toy.num_generated == 5
    assert prepared.is_dir()
    labels = tfds_cache.read_split(builder, "train")["label"]
    np.testing.assert_array_equal(np.sort(labels), np.arange(5))


@pytest.mark.parametrize(
    "failure", [ConnectionError("reset by peer"), tfds.core.download.DownloadError("404")]
)
def test_a_failed_download_is_one_sentence(tmp_path, monkeypatch, failure):
    monkeypatch.setattr(Toy, "failure", failure)
    with pytest.raises(DataError, match=f"data set 'toy': there is no .*toy.npz .*{failure}"):
        _prepare(tmp_path)


_NAME = "toy.sqlite"


def _write(path: pathlib.Path) -> None:
    image_files.write_emnist_sqlite(path, {"train": {"a": (np.zeros((2, 28, 28)), [1, 2])}})


def test_a_local_file_is_used_and_a_download_kept(tmp_path):
    assert tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path) is None

    def load(cache_dir: str) -> None:
        _write(pathlib.Path(cache_dir) / _NAME)

    folder = tff_sqlite.fetch_tff_sqlite("toy", _NAME, load, data_dir=tmp_path)
    assert folder == tmp_path / "tff" / "toy"
    assert tff_sqlite.fetch_tff_sqlite("toy", _NAME, pytest.fail, data_dir=tmp_path) == folder
    _write(tmp_path / _NAME)
    assert tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path) == tmp_path


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
        (sqlite3.DatabaseError("malformed"), "malformed"),
        (StopIteration(), "the file has no examples"),
    ],
)
def test_a_failed_download_of_tffs_is_one_sentence(tmp_path, error, reason):
    def fail(cache_dir: str) -> None:
        raise error

    with pytest.raises(DataError, match=f"toy.sqlite.lzma .*{reason}"):
        tff_sqlite.fetch_tff_sqlite("toy", _NAME, fail, data_dir=tmp_path)


def test_other_files_are_refused(tmp_path):
    (tmp_path / _NAME).write_text("no database")
    with pytest.raises(DataError, match="is no whole SQLite database"):
        tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path)
    (tmp_path / _NAME).unlink()
    sqlite3.connect(tmp_path / _NAME).execute("CREATE TABLE examples (a)").connection.close()
    with pytest.raises(DataError, match="has no tables .'client_metadata'."):
        tff_sqlite.find_tff_sqlite(_NAME, data_dir=tmp_path)
