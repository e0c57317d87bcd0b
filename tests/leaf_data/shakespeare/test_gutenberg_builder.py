"""Tests of `leaf_data.shakespeare.gutenberg_builder`, against a server on this machine."""

from __future__ import annotations

import zipfile

import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.shakespeare import gutenberg_builder, sources
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text


@pytest.fixture(name="served")
def _served(tmp_path, monkeypatch):
    """The archive that is downloaded."""
    pytest.importorskip("importlib_resources", reason="TFDS prepares nothing without it")
    with text_files.gutenberg_served(tmp_path) as address:
        monkeypatch.setattr(gutenberg_builder, "ADDRESS", address)
        yield tmp_path / "1994-01-100.zip"


def test_text_is_downloaded_once_and_its_damage_is_named(served, tmp_path):
    expected = parse_gutenberg_text(text_files.GUTENBERG_TEXT.encode(), "")
    for _ in range(2):
        found = sources.read_roles("shakespeare", data_dir=tmp_path / "data")
        assert found.roles == expected
        assert found.origin == "tensorflow_datasets gutenberg_shakespeare/1.0.0"
        served.unlink(missing_ok=True)
    (prepared,) = (tmp_path / "data").rglob("*.tfrecord*")
    prepared.write_bytes(prepared.read_bytes()[:-10])
    with pytest.raises(DataError, match="TFDS' prepared files are damaged; remove it"):
        sources.read_roles("shakespeare", data_dir=tmp_path / "data")


@pytest.mark.parametrize("kept", [0, 10, -40])
def test_an_incomplete_archive_is_refused(served, tmp_path, kept):
    served.write_bytes(served.read_bytes()[:kept])
    with pytest.raises(DataError, match="1994-01-100.zip cannot be had"):
        sources.read_roles("shakespeare", data_dir=tmp_path / "data")


def test_another_text_is_refused(served, tmp_path):
    with zipfile.ZipFile(served, "w") as file:
        file.writestr("100.txt", "Nothing but prose.")
    with pytest.raises(DataError, match="has no play with speaking roles"):
        sources.read_roles("shakespeare", data_dir=tmp_path / "data")
