"""Damaged files: each is a data set that keeps its promises, or a `DataError`, and nothing else."""

from __future__ import annotations

import functools
import gzip
import io
import json
import pathlib
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from typing import Any, NamedTuple

import image_files
import leaf_files
import numpy as np
import pytest
import text_files
from damage import damaged, fuzz, read_or_refused
from hypothesis import given
from hypothesis import strategies as st

from leaf_data.federated_dataset import FederatedDataset
from leaf_data.image_datasets.leaf_femnist import leaf_femnist
from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.sent140 import leaf_sent140
from leaf_data.sent140.sources import TRAINING_CSV, UTF8_CSV
from leaf_data.sent140.vocabulary import Vocabulary, glove_vocabulary
from leaf_data.shakespeare import leaf_shakespeare
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text
from leaf_data.shakespeare.sources import GUTENBERG_TEXTS, PLAYS_JSON
from leaf_data.sources.images import read_image_file


def _check(found: Any) -> None:
    """Both splits are as long as they say, numbers are finite and labels in range."""
    if isinstance(found, FederatedDataset):
        for data in (found.train, found.test):
            x, y = data.arrays["x"], data.arrays["y"]
            assert len(x) == len(y) == data.num_examples.sum()
            assert x.dtype == object or np.isfinite(x).all()
            if found.num_classes is not None:
                assert ((y >= 0) & (y < found.num_classes)).all()
    elif isinstance(found, Vocabulary):
        assert len(found.vectors) == found.size
        assert np.isfinite(found.vectors).all()
    elif isinstance(found, list):
        assert all(role.num_windows == len(role.windows()[1]) for role in found)
    elif found is not None:
        for x, y in ((found.train_x, found.train_y), (found.test_x, found.test_y)):
            assert (x.dtype, len(x)) == (np.uint8, len(y))
            assert set(y) <= {0, 1}


class _Kind(NamedTuple):
    """A file's name and what is damaged of it; how it is read, and the file around the damage."""

    name: str
    content: Callable[[], bytes]
    read: Callable[[pathlib.Path, pathlib.Path], Any]
    file: Callable[[bytes], bytes] = bytes


def _leaf() -> bytes:
    clients = {"ann": ([[0.5, 1.0], [2.0, -3.0]], [0, 1]), "bob": ([[1e-3, 4.0]], [2])}
    return json.dumps(leaf_files.document(clients)).encode()


def _read_leaf(folder: pathlib.Path, path: pathlib.Path) -> FederatedDataset:
    (folder / "test").mkdir(exist_ok=True)
    (folder / "test" / "a.json").write_bytes(_leaf())
    return read_leaf_json(folder)


def _tweets() -> bytes:
    return text_files.to_csv(text_files.tweets(num_accounts=2, per_account=2)).encode()


def _vectors() -> bytes:
    return "".join(f"{word} {' '.join(['0.25'] * 300)}\n" for word in ("is", "good")).encode()


_ARRAYS = image_files.random_arrays(image_shape=(3, 2), num_classes=2, per_class=10)


def _npy(field: str) -> bytes:
    file = io.BytesIO()
    np.save(file, _ARRAYS[field])
    return file.getvalue()


def _written(write: Callable[[pathlib.Path], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder, "file"))
        return pathlib.Path(folder, "file").read_bytes()


@functools.cache
def _image_zip() -> bytes:
    return _written(functools.partial(image_files.write_image_zip, per_class=2))


_IMAGE = "train/cat/0001.jpg"


def _image() -> bytes:
    with zipfile.ZipFile(io.BytesIO(_image_zip())) as archive:
        return archive.read(_IMAGE)


def _with_member(archive: bytes, name: str, content: bytes) -> bytes:
    """A zip with a member replaced, whose checksum is right."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(changed, "w") as new:
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return changed.getvalue()


@functools.cache
def _femnist() -> bytes:
    writers = {"a": (np.full((2, 28, 28), 0.5), [1, 61]), "b": (np.zeros((1, 28, 28)), [0])}
    splits = {"train": writers, "test": writers}
    return _written(functools.partial(image_files.write_emnist_sqlite, writers=splits))


@functools.cache
def _shakespeare() -> bytes:
    roles = {"A": ["To be " * 20], "B": ["or not", "to be? " * 20]}
    splits = {"train": roles, "test": roles}
    return _written(functools.partial(text_files.write_shakespeare_sqlite, splits=splits))


def _load(load: Callable[..., FederatedDataset]) -> Callable[..., FederatedDataset]:
    return lambda folder, path: load(data_dir=str(folder))


def _read_images(*shape: int) -> Callable[..., Any]:
    return lambda folder, path: read_image_file(path, image_shape=shape, num_classes=2)


_KINDS = {
    "FEMNIST": _Kind("emnist_all.sqlite", _femnist, _load(leaf_femnist)),
    "TFF's Shakespeare": _Kind("shakespeare.sqlite", _shakespeare, _load(leaf_shakespeare)),
    "LEAF's JSON": _Kind("train/a.json", _leaf, _read_leaf),
    "tweets": _Kind(TRAINING_CSV, _tweets, _load(leaf_sent140)),
    "tweets in UTF-8": _Kind(f"{UTF8_CSV}.gz", _tweets, _load(leaf_sent140), gzip.compress),
    "word vectors": _Kind(
        "glove.txt", _vectors, lambda _, path: glove_vocabulary(path, ["good, is it not?"])
    ),
    "plays": _Kind(
        f"{PLAYS_JSON}.gz",
        lambda: json.dumps(text_files.PLAYS).encode(),
        _load(leaf_shakespeare),
        gzip.compress,
    ),
    "Gutenberg's text": _Kind(
        GUTENBERG_TEXTS[0],
        text_files.GUTENBERG_TEXT.encode,
        lambda _, path: parse_gutenberg_text(path.read_bytes(), path.name),
    ),
    "arrays": _Kind("images.npz", lambda: image_files.npz_bytes(**_ARRAYS), _read_images(3, 2)),
    **{
        f"{field} of arrays": _Kind(
            "images.npz",
            functools.partial(_npy, field),
            _read_images(3, 2),
            functools.partial(_with_member, image_files.npz_bytes(**_ARRAYS), f"{field}.npy"),
        )
        for field in ("train_x", "test_y")
    },
    "images": _Kind("images.zip", _image_zip, _read_images(8, 8, 3)),
    "an image": _Kind(
        "images.zip",
        _image,
        _read_images(8, 8, 3),
        lambda content: _with_member(_image_zip(), _IMAGE, content),
    ),
}


@pytest.mark.parametrize("kind", ["FEMNIST", "TFF's Shakespeare"])
def test_ids_in_sqlite_that_are_no_text_are_refused(tmp_path, kind):
    """Columns have no type here, so that numbers stay numbers."""
    name, content, read, _ = _KINDS[kind]
    (tmp_path / name).write_bytes(content().replace(b" TEXT NOT NULL", b" " * 14))
    with sqlite3.connect(tmp_path / name) as connection:
        for table in ("examples", "client_metadata"):
            connection.execute(f"UPDATE {table} SET client_id = 7")
    connection.close()
    assert read_or_refused(lambda: read(tmp_path, tmp_path / name), name) is None


@pytest.mark.parametrize("kind", _KINDS.values(), ids=list(_KINDS))
def test_what_is_damaged_is_refused_or_keeps_its_promises(tmp_path, kind):
    """And what is whole is read."""
    path = tmp_path / kind.name
    path.parent.mkdir(exist_ok=True)

    def read(content: bytes) -> Any:
        path.write_bytes(kind.file(content))
        found = read_or_refused(lambda: kind.read(tmp_path, path), path.name)
        _check(found)
        return found

    @fuzz
    @given(damaged(kind.content()) | st.binary(max_size=60))
    def read_damaged(content: bytes) -> None:
        read(content)

    assert read(kind.content()) is not None
    read_damaged()
