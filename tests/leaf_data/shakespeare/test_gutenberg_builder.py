"""Tests of `leaf_data.shakespeare.gutenberg_builder`, against a server on this machine."""

from __future__ import annotations

import functools
import http.server
import threading
import zipfile

import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.shakespeare import gutenberg_builder, sources
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(name="served")
def _served(tmp_path, monkeypatch):
    """A folder that takes Project Gutenberg's place."""
    pytest.importorskip("importlib_resources", reason="TFDS prepares nothing without it")
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/1994-01-100.zip"
        monkeypatch.setattr(gutenberg_builder, "ADDRESS", address)
        yield folder
        server.shutdown()


def test_text_is_downloaded_once(served, tmp_path):
    archive = served / "1994-01-100.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("100.txt", text_files.GUTENBERG_TEXT)
    expected = parse_gutenberg_text(text_files.GUTENBERG_TEXT.encode(), "")
    for _ in range(2):
        found = sources.read_roles("shakespeare", data_dir=tmp_path / "data")
        assert found.roles == expected
        assert found.origin == "tensorflow_datasets gutenberg_shakespeare/1.0.0"
        archive.unlink(missing_ok=True)


def test_prepared_files_that_are_damaged_are_named(served, tmp_path):
    with zipfile.ZipFile(served / "1994-01-100.zip", "w") as file:
        file.writestr("100.txt", text_files.GUTENBERG_TEXT)
    sources.read_roles("shakespeare", data_dir=tmp_path / "data")
    (prepared,) = (tmp_path / "data").rglob("*.tfrecord*")
    prepared.write_bytes(prepared.read_bytes()[:-10])
    with pytest.raises(DataError, match="TFDS' prepared files are damaged; remove it"):
        sources.read_roles("shakespeare", data_dir=tmp_path / "data")


@pytest.mark.parametrize("kept", [0, 10, -40])
def test_an_incomplete_archive_is_refused(served, tmp_path, kept):
    archive = served / "1994-01-100.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("100.txt", text_files.GUTENBERG_TEXT)
    archive.write_bytes(archive.read_bytes()[:kept])
    with pytest.raises(DataError, match="1994-01-100.zip cannot be had"):
        sources.read_roles("shakespeare", data_dir=tmp_path / "data")


def test_another_text_is_refused(served, tmp_path):
    with zipfile.ZipFile(served / "1994-01-100.zip", "w") as file:
        file.writestr("100.txt", "Nothing but prose.")
    with pytest.raises(DataError, match="has no play with speaking roles"):
        sources.read_roles("shakespeare", data_dir=tmp_path / "data")
