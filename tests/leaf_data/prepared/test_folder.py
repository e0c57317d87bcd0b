"""Tests of `leaf_data.prepared.folder`, through the registry, which makes its requests."""

from __future__ import annotations

import dataclasses
import pathlib
import shutil

import image_files
import numpy as np
import pytest
import text_files
from damage import damaged, fuzz, read_or_refused
from hypothesis import given
from hypothesis import strategies as st
from leaf_files import assert_same_data

from leaf_data import registry
from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.prepared import folder as prepared_folder
from leaf_data.synthetic import synthetic

_FILES = ("SHA256SUMS", "dataset.json", "test.sqlite", "train.sqlite")


def _assert_same(found: FederatedDataset, expected: FederatedDataset) -> None:
    for field in dataclasses.fields(FederatedDataset):
        if field.name not in ("train", "test"):
            assert getattr(found, field.name) == getattr(expected, field.name)
    words, expected_words = (getattr(dataset, "vocabulary", None) for dataset in (found, expected))
    assert words == expected_words
    if expected_words is not None:  # Whose comparison leaves the vectors out.
        np.testing.assert_array_equal(words.vectors, expected_words.vectors)
    assert_same_data(found, expected)


def _names(folder: pathlib.Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_request_has_a_folder_of_its_own(tmp_path):
    def load(name="synthetic_1_1", seed=0, **options) -> None:
        options = {"num_clients": 3, **options}
        found = registry.load(name, seed=seed, options=options, prepared_dir=str(tmp_path))
        _assert_same(found, registry.load(name, seed=seed, options=options))

    load()
    load(seed=1)
    load(train_fraction=0.5)
    load("synthetic_0_0")
    folders = _names(tmp_path)
    assert len(folders) == 4
    load(train_fraction=0.8)  # The default.
    assert _names(tmp_path) == folders
    assert {folder.rpartition("-")[0] for folder in folders} == {"synthetic_1_1", "synthetic_0_0"}


def _prepare(folder: pathlib.Path, seed: int = 0) -> FederatedDataset:
    return registry.load(
        "synthetic_1_1", seed=seed, options={"num_clients": 3}, prepared_dir=str(folder)
    )


def test_nothing_is_left_of_what_fails(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(prepared_folder, "_checksums", fail)
        with pytest.raises(OSError, match="No space left"):
            _prepare(tmp_path)
    assert _names(tmp_path) == []
    _prepare(tmp_path)
    assert _names(next(tmp_path.iterdir())) == sorted(_FILES)


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("prepared")
    _prepare(folder)
    return folder


@fuzz
@given(data=st.data())
@pytest.mark.parametrize("name", _FILES)
def test_damage_is_noticed(whole, name, data):
    """All of it, but for line ends in the list of checksums."""
    (path,) = whole.glob(f"*/{name}")
    content = path.read_bytes()
    changed = data.draw(damaged(content))
    try:
        path.write_bytes(changed)
        found = read_or_refused(lambda: _prepare(whole), name)
    finally:
        path.write_bytes(content)
    assert found is None or changed.split() == content.split()


def _write_raw(folder: pathlib.Path) -> None:
    image_files.write_npz(folder / "mnist.npz")
    text_files.write_plays(folder / "shakespeare_plays.json.gz", text_files.plays(3))
    text_files.write_tweets(folder / "sent140.csv.gz", text_files.tweets(20, 4))
    text_files.write_word_vectors(folder / "glove.txt", ("is", "good", "day", "I"))
    write_leaf_json(synthetic(num_clients=3, seed=1), folder / "leaf")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mnist", {"num_clients": 20}),
        ("synthetic_1_1", {"num_clients": 3, "train_fraction": 1.0}),
        ("leaf_shakespeare", {}),
        ("leaf_sent140", {"embeddings": "none"}),
        ("leaf_sent140", {"embeddings": "glove:{folder}/glove.txt"}),
        ("leaf", {}),
    ],
)
def test_the_raw_data_is_needed_once(tmp_path, name, options):
    """The same data set, without the files that it was made of; LEAF's JSON needs no seed."""
    raw, kept = tmp_path / "raw", str(tmp_path / "prepared")
    raw.mkdir()
    _write_raw(raw)
    options = {
        key: value.format(folder=raw) if isinstance(value, str) else value
        for key, value in options.items()
    }
    of_leaf = {"leaf_dir": str(raw / "leaf")} if name == "leaf" else {}
    arguments = {"seed": 3, "options": options, **of_leaf}
    expected = registry.load(name, data_dir=str(raw), **arguments)
    first = registry.load(name, data_dir=str(raw), prepared_dir=kept, **arguments)
    shutil.rmtree(raw)
    arguments["seed"] = 5 if of_leaf else 3
    second = registry.load(name, data_dir=str(tmp_path / "no"), prepared_dir=kept, **arguments)
    for found in (first, second):
        _assert_same(found, expected)


def test_the_files_of_another_seed_are_refused(tmp_path):
    _prepare(tmp_path / "a", seed=1)
    _prepare(tmp_path / "b", seed=2)
    (one,), (other,) = (tmp_path / "a").iterdir(), (tmp_path / "b").iterdir()
    shutil.copy(other / "train.sqlite", one)
    with pytest.raises(DataError, match="a/synthetic_1_1-.*/train.sqlite: differs from its check"):
        _prepare(tmp_path / "a", seed=1)
    shutil.rmtree(one)
    other.rename(one)
    with pytest.raises(DataError, match=r"dataset.json: is of .*'seed': 2.*, not of .*'seed': 1"):
        _prepare(tmp_path / "a", seed=1)
    (one / "test.sqlite").unlink()
    with pytest.raises(
        DataError, match=f"test.sqlite: cannot be read .No such .*; remove {one} to"
    ):
        _prepare(tmp_path / "a", seed=1)
