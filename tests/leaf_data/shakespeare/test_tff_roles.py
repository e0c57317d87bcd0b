"""Tests of `leaf_data.shakespeare.tff_roles`."""

from __future__ import annotations

import sqlite3

import pytest
import tensorflow_federated as tff
import text_files

from leaf_data.client_data import client_examples
from leaf_data.errors import DataError
from leaf_data.shakespeare.tff_roles import read_tff_roles


def test_tffs_snippets_are_joined(tmp_path):
    text_files.write_shakespeare_sqlite(
        tmp_path / "shakespeare.sqlite",
        {
            "train": {"B": ["one\ntwo", "three" * 20], "A": ["x" * 80], "C": ["short"]},
            "test": {"B": ["four  five"], "A": ["y"], "C": ["z" * 99]},
        },
    )
    train, test = read_tff_roles(tmp_path)
    assert [(role.client_id, role.text) for role in train] == [
        ("A", "x" * 80 + " "),
        ("B", "one two " + "three" * 20 + " "),
    ]
    assert [role.text for role in test] == ["y ", "four five "]


def test_another_database_is_refused(tmp_path):
    splits = {"train": {"A": ["a"], "B": ["b"]}, "test": {"A": ["a"]}}
    text_files.write_shakespeare_sqlite(tmp_path / "shakespeare.sqlite", splits)
    with pytest.raises(DataError, match="shakespeare.sqlite: its train and test split have"):
        read_tff_roles(tmp_path)
    (tmp_path / "shakespeare.sqlite").unlink()
    splits["test"]["B"] = ["b"]
    text_files.write_shakespeare_sqlite(tmp_path / "shakespeare.sqlite", splits)
    with pytest.raises(DataError, match="shakespeare.sqlite: no role says more than 80"):
        read_tff_roles(tmp_path)
    (tmp_path / "shakespeare.sqlite").write_bytes(b"no database" * 99)
    with pytest.raises(DataError, match="is not TFF's Shakespeare"):
        read_tff_roles(tmp_path)


def test_rows_are_those_of_tffs_own_loader(tmp_path):
    roles = {"B": ["one two", "three " * 20], "A": ["a" * 81]}
    splits = {"train": roles, "test": roles}
    text_files.write_shakespeare_sqlite(tmp_path / "shakespeare.sqlite", splits)
    client_data, _ = tff.simulation.datasets.shakespeare.load_data(cache_dir=str(tmp_path))
    train, _ = read_tff_roles(tmp_path)
    assert [role.client_id for role in train] == client_data.client_ids
    for role in train:
        snippets = client_examples(client_data, role.client_id)["snippets"]
        assert role.text.split() == b" ".join(snippets).decode().split()


@pytest.mark.parametrize("content", [b"", b"\xff", None, "text", 3])
def test_rows_of_another_kind_are_refused(tmp_path, content):
    path = tmp_path / "shakespeare.sqlite"
    splits = {"train": {"A": ["a" * 99]}, "test": {"A": ["a"]}}
    text_files.write_shakespeare_sqlite(path, splits)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE examples SET serialized_example_proto = ?", [content])
    database.close()
    with pytest.raises(DataError, match="shakespeare.sqlite, train: is not TFF's Shakespeare"):
        read_tff_roles(tmp_path)
