"""Damaged files: each is a data set that keeps its promises, or a `DataError`, and nothing else."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile

import image_files
import numpy as np
import pytest
import text_files
from damage import damaged, fuzz, read_or_refused
from hypothesis import given, settings
from hypothesis import strategies as st

from leaf_data.federated_dataset import FederatedDataset
from leaf_data.image_datasets.leaf_femnist import leaf_femnist
from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.sent140 import leaf_sent140
from leaf_data.sent140.sources import TRAINING_CSV, UTF8_CSVS
from leaf_data.sent140.vocabulary import glove_vocabulary
from leaf_data.shakespeare import leaf_shakespeare
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text
from leaf_data.shakespeare.sources import GUTENBERG_TEXTS, PLAYS_JSON
from leaf_data.sources.images import read_image_file


def _check(dataset: FederatedDataset | None) -> None:
    """Both splits are as long as they say, numbers are finite and labels in range."""
    if dataset is None:
        return
    for data in (dataset.train, dataset.test):
        x, y = data.arrays["x"], data.arrays["y"]
        assert len(x) == len(y) == data.num_examples.sum()
        assert x.dtype == object or np.isfinite(x).all()
        if dataset.num_classes is not None:
            assert ((y >= 0) & (y < dataset.num_classes)).all()


_LEAF = json.dumps(
    {
        "users": ["ann", "bob"],
        "num_samples": [2, 1],
        "user_data": {
            "ann": {"x": [[0.5, 1.0], [2.0, -3.0]], "y": [0, 1]},
            "bob": {"x": [[1e-3, 4.0]], "y": [2]},
        },
    }
).encode()


@fuzz
@given(train=damaged(_LEAF), test=st.just(_LEAF) | damaged(_LEAF))
def test_leaf_json(tmp_path, train, test):
    for split, content in (("train", train), ("test", test)):
        (tmp_path / split).mkdir(exist_ok=True)
        (tmp_path / split / "a.json").write_bytes(content)
    _check(read_or_refused(lambda: read_leaf_json(tmp_path), str(tmp_path)))


_TWEETS = text_files.to_csv(text_files.tweets(num_accounts=2, per_account=2)).encode()


@fuzz
@given(content=damaged(_TWEETS))
@pytest.mark.parametrize("name", [UTF8_CSVS[0], TRAINING_CSV])
def test_tweets(tmp_path, name, content):
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    _check(read_or_refused(lambda: leaf_sent140(data_dir=tmp_path), name))


@fuzz
@given(content=damaged(gzip.compress(_TWEETS, mtime=0)))
def test_gzipped_tweets(tmp_path, content):
    (tmp_path / UTF8_CSVS[0]).write_bytes(content)
    _check(read_or_refused(lambda: leaf_sent140(data_dir=tmp_path), UTF8_CSVS[0]))


_VECTORS = "".join(f"{word} {' '.join(['0.25'] * 300)}\n" for word in ("is", "good")).encode()


@fuzz
@given(content=damaged(_VECTORS))
def test_word_vectors(tmp_path, content):
    path = tmp_path / "glove.txt"
    path.write_bytes(content)
    vocabulary = read_or_refused(lambda: glove_vocabulary(path, ["good, is it not?"]), "glove.txt")
    if vocabulary is not None:
        assert len(vocabulary.vectors) == vocabulary.size
        assert np.isfinite(vocabulary.vectors).all()


_PLAYS = json.dumps(text_files.PLAYS).encode()


@fuzz
@given(content=damaged(_PLAYS).map(gzip.compress) | damaged(gzip.compress(_PLAYS, mtime=0)))
def test_plays_json(tmp_path, content):
    (tmp_path / PLAYS_JSON).write_bytes(content)
    _check(read_or_refused(lambda: leaf_shakespeare(data_dir=tmp_path), PLAYS_JSON))


@fuzz
@given(content=damaged(text_files.GUTENBERG_TEXT.encode()))
def test_gutenberg_text(content):
    roles = read_or_refused(
        lambda: parse_gutenberg_text(content, GUTENBERG_TEXTS[0]), GUTENBERG_TEXTS[0]
    )
    assert roles is None or all(role.num_windows == len(role.windows()[1]) for role in roles)


_ARRAYS = image_files.random_arrays(image_shape=(3, 2), num_classes=2, per_class=10)
_NPZ = image_files.npz_bytes(**_ARRAYS)


def _read_images(tmp_path, name: str, content: bytes, image_shape: tuple[int, ...]) -> None:
    (tmp_path / name).write_bytes(content)
    images = read_or_refused(
        lambda: read_image_file(tmp_path / name, image_shape=image_shape, num_classes=2), name
    )
    if images is not None:
        for x, y in ((images.train_x, images.train_y), (images.test_x, images.test_y)):
            assert x.dtype == np.uint8
            assert x.shape == (len(y), *image_shape)
            assert set(y) <= {0, 1}


def _with_member(archive: bytes, name: str, content: bytes) -> bytes:
    """A zip with a member replaced, whose checksum is right."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(changed, "w") as new:
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return changed.getvalue()


@fuzz
@given(content=damaged(_NPZ))
def test_npz(tmp_path, content):
    _read_images(tmp_path, "images.npz", content, (3, 2))


@fuzz
@given(data=st.data(), field=st.sampled_from(list(_ARRAYS)))
def test_arrays_in_npz(tmp_path, data, field):
    file = io.BytesIO()
    np.save(file, _ARRAYS[field])
    content = data.draw(damaged(file.getvalue()))
    _read_images(tmp_path, "images.npz", _with_member(_NPZ, f"{field}.npy", content), (3, 2))


@pytest.fixture(scope="module", name="image_zip")
def _image_zip(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("damaged") / "images.zip"
    image_files.write_image_zip(path, per_class=2)
    return path.read_bytes()


@fuzz
@given(data=st.data())
def test_image_zip(tmp_path, image_zip, data):
    _read_images(tmp_path, "images.zip", data.draw(damaged(image_zip)), (8, 8, 3))


@settings(fuzz, max_examples=100)
@given(data=st.data())
def test_images_in_zip(tmp_path, image_zip, data):
    name = "train/cat/0001.jpg"
    with zipfile.ZipFile(io.BytesIO(image_zip)) as archive:
        content = data.draw(damaged(archive.read(name)))
    _read_images(tmp_path, "images.zip", _with_member(image_zip, name, content), (8, 8, 3))


def _write_femnist(path) -> None:
    writers = {"a": (np.full((2, 28, 28), 0.5), [1, 61]), "b": (np.zeros((1, 28, 28)), [0])}
    image_files.write_emnist_sqlite(path, {"train": writers, "test": writers})


def _write_shakespeare(path) -> None:
    roles = {"A": ["To be " * 20], "B": ["or not", "to be? " * 20]}
    text_files.write_shakespeare_sqlite(path, {"train": roles, "test": roles})


_DATABASES = {
    "emnist_all.sqlite": (_write_femnist, leaf_femnist),
    "shakespeare.sqlite": (_write_shakespeare, leaf_shakespeare),
}


@pytest.fixture(scope="module", params=list(_DATABASES), name="database")
def _database(request, tmp_path_factory):
    """A whole file of TFF's, and the loader of its data set."""
    write, load = _DATABASES[request.param]
    path = tmp_path_factory.mktemp("damaged") / request.param
    write(path)
    return path, load


@fuzz
@given(data=st.data())
def test_sqlite(tmp_path, database, data):
    whole, load = database
    (tmp_path / whole.name).write_bytes(data.draw(damaged(whole.read_bytes())))
    _check(read_or_refused(lambda: load(data_dir=str(tmp_path)), whole.name))


_VALUES = st.none() | st.integers(-9, 9) | st.floats() | st.text(max_size=3) | st.binary(max_size=3)


@fuzz
@given(
    column=st.sampled_from(["client_id", "split_name", "serialized_example_proto"]),
    both=st.booleans(),
    every=st.integers(1, 3),
    value=_VALUES,
)
def test_values_in_sqlite(tmp_path, database, column, both, every, value):
    """Values of another kind, in some rows or in all."""
    whole, load = database
    path = tmp_path / whole.name
    path.write_bytes(_without_constraints(whole.read_bytes()))
    with sqlite3.connect(path) as connection:
        tables = ["examples"]
        if both and column != "serialized_example_proto":
            tables.append("client_metadata")
        for table in tables:
            connection.execute(
                f"UPDATE {table} SET {column} = ? WHERE rowid % ? = 0", [value, every]
            )
    connection.close()
    _check(read_or_refused(lambda: load(data_dir=str(tmp_path)), path.name))


def _without_constraints(content: bytes) -> bytes:
    """The database with NULL allowed and no types, by as many spaces in its schema."""
    for words in (b" NOT NULL", b" TEXT", b" INTEGER", b" BLOB"):
        content = content.replace(words, b" " * len(words))
    return content
