"""Tests of `leaf_data.sent140.sources`."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.sent140 import sources
from leaf_data.sent140.sources import TEST_CSV, TRAINING_CSV, find_tweets

_TRAINING = [text_files.tweet("ann", "caf\xe9", 4), text_files.tweet("bob", "no", 0)]
_BY_HAND = [text_files.tweet("cyd", "well", 2)]


def test_local_files_in_order(tmp_path):
    text_files.write_tweets(tmp_path / TRAINING_CSV, _TRAINING)
    tweets, origin = find_tweets("sent140", data_dir=tmp_path)
    assert (tweets.texts, origin) == (["caf\xe9", "no"], TRAINING_CSV)
    text_files.write_tweets(tmp_path / TEST_CSV, _BY_HAND)
    tweets, origin = find_tweets("sent140", data_dir=tmp_path)
    assert tweets.texts == ["caf\xe9", "no", "well"]
    assert tweets.is_positive.tolist() == [1, 0, 0]
    assert origin == f"{TRAINING_CSV} and {TEST_CSV}"
    text_files.write_tweets(tmp_path / "sent140.csv.gz", _BY_HAND)
    tweets, origin = find_tweets("sent140", data_dir=tmp_path)
    assert (tweets.accounts, origin) == (["cyd"], "sent140.csv.gz")


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("sent140.csv", "utf-8"),
        ("sent140.csv", "utf-8-sig"),
        ("sent140.csv.gz", "utf-8-sig"),
        (f"{TRAINING_CSV}.gz", "latin-1"),
        (TRAINING_CSV, "utf-8-sig"),
    ],
)
def test_files_are_found_gzipped_or_not(tmp_path, name, encoding):
    content = text_files.to_csv(_TRAINING).encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    tweets, origin = find_tweets("sent140", data_dir=tmp_path)
    assert (tweets.texts, origin) == (["caf\xe9", "no"], name)


def test_tfds_is_read(tmp_path, monkeypatch):
    """As TFDS gives its two splits; it has no ids."""

    class Builder:
        class info:  # noqa: N801
            full_name = "sentiment140/1.0.0"

    def read_split(_, split):
        rows = {"train": _TRAINING, "test": _BY_HAND}[split]
        return {
            "polarity": np.array([int(row[0]) for row in rows], np.int32),
            **{
                field: np.array([row[column].encode() for row in rows], object)
                for column, field in enumerate(("date", "query", "user", "text"), start=2)
            },
        }

    monkeypatch.setattr(sources.sources, "prepare_tfds", lambda *_, **__: Builder())
    monkeypatch.setattr(sources, "read_split", read_split)
    tweets, origin = find_tweets("sent140", data_dir=tmp_path)
    assert tweets.is_positive.tolist() == [1, 0, 0]
    assert tweets.fields[0] == ("", "Mon Apr 06 2009", "NO_QUERY", "ann", "caf\xe9")
    assert origin == "tensorflow_datasets sentiment140/1.0.0"


def test_offline_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_ADDRESS", "http://127.0.0.1:9/trainingandtestdata.zip")
    with pytest.raises(
        DataError,
        match=r"data set 'sent140': there is no .*sent140.csv.gz or .*training.1600000.*\.csv or"
        r" .*trainingandtestdata.zip cannot be had .*--data_dir",
    ):
        find_tweets("sent140", data_dir=tmp_path)
