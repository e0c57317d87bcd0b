"""Tests of `leaf_data.raw_files`, and that a prepared data set notices what has changed."""

from __future__ import annotations

import os
import pathlib

import image_files
import pytest

from leaf_data import raw_files, registry
from leaf_data.errors import DataError
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.synthetic import synthetic


def test_files_are_recorded_where_somebody_asks(tmp_path):
    path = tmp_path / "file"
    assert raw_files.note(path) is path  # Nobody does.
    with raw_files.recording() as files:
        raw_files.note(str(path))
        with raw_files.recording() as inner:
            raw_files.note("other")
        raw_files.note(path)
    assert files == [path, path]
    assert inner == [pathlib.Path("other").absolute()]


def test_a_file_has_changed_where_its_content_has(tmp_path):
    path = tmp_path / "raw" / "file"
    path.parent.mkdir()
    path.write_text("abc")
    described = raw_files.describe([path, path, tmp_path / "gone"], below=path.parent)
    assert list(described) == ["file"]
    assert described["file"]["size"] == 3

    def change():
        return raw_files.first_change(described, below=path.parent)

    assert change() is None
    os.utime(path, ns=(1, 1))
    assert change() is None  # Touched, and the same.
    path.write_text("abd")
    assert change() == f"{path} has another checksum than it had"
    path.write_text("abcd")
    assert change() == f"{path} has 4 bytes, and had 3"
    path.unlink()
    assert change() is None  # Not needed any more.


def test_a_folder_has_changed_where_its_names_have(tmp_path):
    (tmp_path / "a.json").touch()
    described = raw_files.describe([tmp_path], below=tmp_path / "elsewhere")
    assert list(described) == [str(tmp_path)]
    assert raw_files.first_change(described, below=tmp_path) is None
    (tmp_path / "b.json").touch()
    assert raw_files.first_change(described, below=tmp_path) == f"{tmp_path} has 2 files, and had 1"


def test_a_prepared_data_set_names_the_file_that_has_changed(tmp_path):
    """In this folder of raw data, and in another one with other data."""
    raw, other = tmp_path / "raw", tmp_path / "other"
    for folder in (raw, other):
        folder.mkdir()
        image_files.write_npz(folder / "mnist.npz")
    (other / "mnist.npz").write_bytes((other / "mnist.npz").read_bytes() + b" ")
    arguments = {"prepared_dir": str(tmp_path / "prepared"), "options": {"num_clients": 20}}
    for _ in range(2):
        registry.load("mnist", data_dir=str(raw), **arguments)
    message = r"other/mnist.npz has .* bytes, and had .* when .*prepared"
    with pytest.raises(DataError, match=message):
        registry.load("mnist", data_dir=str(other), **arguments)
    (raw / "mnist.npz").unlink()
    registry.load("mnist", data_dir=str(raw), **arguments)


def test_a_prepared_folder_of_leafs_json_notices_another_file(tmp_path):
    write_leaf_json(synthetic(num_clients=3), tmp_path / "leaf")
    folders = {"leaf_dir": str(tmp_path / "leaf"), "prepared_dir": str(tmp_path / "prepared")}
    registry.load("leaf", **folders)
    (tmp_path / "leaf" / "train" / "more.json").write_text("{}")
    with pytest.raises(DataError, match=r"leaf/train has 2 files, and had 1 when .* remove that"):
        registry.load("leaf", **folders)
