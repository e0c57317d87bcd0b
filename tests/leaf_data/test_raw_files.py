"""Tests of `leaf_data.data_dir`, `local_files` and `raw_files`: where raw files are, and were."""

import gzip
import os
import pathlib

import image_files
import pytest

from leaf_data import raw_files, registry
from leaf_data.client_data import client_examples
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.local_files import find_file, open_text
from leaf_data.synthetic import synthetic


def test_the_folder_is_an_argument_a_variable_or_the_users_cache(monkeypatch):
    monkeypatch.setenv("TFF_WEIGHTS_DATA_DIR", "~/somewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert resolve_data_dir("~/here") == pathlib.Path.home() / "here"
    assert resolve_data_dir(None) == pathlib.Path.home() / "somewhere"
    monkeypatch.setenv("TFF_WEIGHTS_DATA_DIR", "")
    assert resolve_data_dir(None) == pathlib.Path("/cache/tff-weights")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert resolve_data_dir(None) == pathlib.Path.home() / ".cache" / "tff-weights"


@pytest.mark.parametrize(
    ("there", "found"),
    [
        ([], None),
        (["a.txt.gz", "a.txt"], "a.txt"),
        (["b_2.txt", "b_1.txt.gz", "c.txt"], "b_2.txt"),
        (["b_2.txt.gz", "b_1.txt.gz"], "b_1.txt.gz"),
        (["b_1.txt", "a.txt.gz"], "a.txt.gz"),
    ],
)
def test_names_come_in_their_order_and_each_gzipped(tmp_path, there, found):
    for name in there:
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    path = find_file(tmp_path, "folder", "a.txt", "b_*.txt")
    assert (path and path.name) == found


@pytest.mark.parametrize(
    ("name", "written", "encoding"),
    [("text.gz", "utf-8-sig", "utf-8"), ("text", "utf-8-sig", "latin-1")],
)
def test_text_is_read_with_and_without_a_byte_order_mark(tmp_path, name, written, encoding):
    content = "caf\xe9".encode(written)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with open_text(tmp_path / name, encoding=encoding) as file:
        assert file.read() == "caf\xe9"


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


_OWN_READER = """
import numpy as np
from leaf_data import from_arrays
def load(*, path: str):
    return from_arrays(np.loadtxt(path, delimiter=",")[:, np.newaxis], [0, 1], ["a", "a"])
"""


def test_a_prepared_data_set_names_the_file_that_has_changed(tmp_path, monkeypatch):
    """In this folder of raw data, in another one, and where a user's own function reads."""
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
    # And LEAF's JSON, where there is another file.
    write_leaf_json(synthetic(num_clients=3), tmp_path / "leaf")
    folders = {"leaf_dir": str(tmp_path / "leaf"), "prepared_dir": arguments["prepared_dir"]}
    registry.load("leaf", **folders)
    (tmp_path / "leaf" / "train" / "more.json").write_text("{}")
    with pytest.raises(DataError, match=r"leaf/train has 2 files, and had 1 when .* remove that"):
        registry.load("leaf", **folders)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_reader.py").write_text(_OWN_READER)
    own = {"options": {"path": "own.csv"}, "prepared_dir": arguments["prepared_dir"]}
    (tmp_path / "own.csv").write_text("2,3")
    registry.load("own_reader:load", **own)
    (tmp_path / "own.csv").write_text("2,9")
    with pytest.raises(DataError, match="own.csv has another checksum than it had when"):
        registry.load("own_reader:load", **own)


def test_a_prepared_data_set_of_ones_own_is_of_one_folder_of_raw_data(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    of_folder = _OWN_READER.replace("path: str", "data_dir: str").replace("path", "data_dir + '/x'")
    (tmp_path / "folder_reader.py").write_text(of_folder)
    for number in (2, 5):
        (folder := tmp_path / str(number)).mkdir()
        (folder / "x").write_text(f"{number},{number}")
        folders = {"data_dir": str(folder), "prepared_dir": str(tmp_path)}
        dataset = registry.load("folder_reader:load", **folders)
        assert number in client_examples(dataset.train, "a")["x"]
