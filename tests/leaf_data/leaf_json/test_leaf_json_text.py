"""Tests of `leaf_data.leaf_json.text`: LEAF's JSON of text, with the models that read it."""

from __future__ import annotations

import json

import numpy as np
import pytest
import text_files

from leaf_data import registry
from leaf_data.errors import DataError
from leaf_data.leaf_json.conventions import leaf_convention
from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.leaf_json.text import as_numbers, is_of_characters
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.sent140 import TweetDataset, leaf_sent140
from leaf_data.shakespeare import leaf_shakespeare
from leaf_data.shakespeare.alphabet import ALPHABET
from leaf_data.synthetic import synthetic
from leaf_data.tasks import load_task


def _write(folder, train, test):
    """Each split by client an (x, y) of lists."""
    for split, clients in (("train", train), ("test", test)):
        document = {
            "users": list(clients),
            "num_samples": [len(y) for _, y in clients.values()],
            "user_data": {client: {"x": x, "y": y} for client, (x, y) in clients.items()},
        }
        (folder / split).mkdir(parents=True)
        (folder / split / "data.json").write_text(json.dumps(document))
    return str(folder)


def _tweet(text):
    return ["7", "a date", "NO_QUERY", "ann", text]


def test_windows_of_characters_by_hand(tmp_path):
    """Of LEAF's alphabet the newline is 0, the space 1, ! 2; é is none of it and so the last."""
    folder = _write(tmp_path, {"u": (["! \n", " \né"], ["!", "\n"])}, {"u": (["\n\n\n"], ["é"])})
    dataset = registry.load("leaf", leaf_dir=folder)
    train, test = dataset.train.examples("u"), dataset.test.examples("u")
    np.testing.assert_array_equal(train["x"], [[2, 1, 0], [1, 0, len(ALPHABET) - 1]])
    np.testing.assert_array_equal(train["y"], [2, 0])
    np.testing.assert_array_equal(test["y"], [len(ALPHABET) - 1])
    assert (train["x"].dtype, train["y"].dtype) == (np.uint8, np.int32)
    assert is_of_characters(dataset) and dataset.num_classes == len(ALPHABET)


def test_shakespeare_comes_back_as_it_was(tmp_path):
    text_files.write_plays(tmp_path / "shakespeare_plays.json.gz", text_files.plays(2))
    dataset = leaf_shakespeare(data_dir=str(tmp_path))
    write_leaf_json(dataset, tmp_path / "out", convert=leaf_convention(dataset))
    read = registry.load("leaf", leaf_dir=str(tmp_path / "out"))
    for split in ("train", "test"):
        for field in ("x", "y"):
            expected = getattr(dataset, split).arrays[field]
            np.testing.assert_array_equal(getattr(read, split).arrays[field], expected)
    again = leaf_convention(read)(read.train.examples(read.client_ids[0]))
    assert len(again["x"][0]) == 80


def test_tweets_come_back_as_they_were(tmp_path):
    """Whose polarities are text, "0" and "4", of which the words are numbered anew."""
    rows = [text_files.tweet("ann", f"good {n}", 4 * (n % 2), n) for n in range(4)]
    text_files.write_tweets(tmp_path / "sent140.csv.gz", rows)
    as_text = leaf_sent140(data_dir=str(tmp_path), embeddings="none")
    write_leaf_json(as_text, tmp_path / "out", convert=leaf_convention(as_text))
    read = registry.load("leaf", leaf_dir=str(tmp_path / "out"))
    direct = leaf_sent140(data_dir=str(tmp_path))
    assert isinstance(read, TweetDataset) and read.vocabulary == direct.vocabulary
    for field in ("x", "y"):
        np.testing.assert_array_equal(read.train.arrays[field], direct.train.arrays[field])
    assert read.num_classes == 2


@pytest.mark.parametrize(
    ("labels", "expected", "num_classes"),
    [
        ([0, 1, 1], [0, 1, 1], 2),
        ([0, 4, 2], [0, 1, 0], 2),
        (["0", "4", "2"], [0, 1, 0], 2),
        (["sad", "glad", "angry"], [2, 1, 0], 3),
        ([0, 2, 2], [0, 2, 2], 3),
    ],
)
def test_words_and_their_labels(tmp_path, labels, expected, num_classes):
    """The most frequent word has the number 1, and what training never says 0."""
    texts = ["so so good", "bad so", "bad"]
    folder = _write(tmp_path, {"u": (texts, labels)}, {"u": (["fair so"], labels[:1])})
    dataset = registry.load("leaf", leaf_dir=folder)
    assert dataset.vocabulary.words == ("so", "bad", "good")
    x = dataset.train.examples("u")["x"]
    np.testing.assert_array_equal(x[:, :4], [[1, 1, 3, 0], [2, 1, 0, 0], [2, 0, 0, 0]])
    np.testing.assert_array_equal(dataset.test.examples("u")["x"][0, :3], [0, 1, 0])
    np.testing.assert_array_equal(dataset.train.examples("u")["y"], expected)
    assert dataset.num_classes == num_classes


def test_words_may_have_vectors(tmp_path):
    vectors = tmp_path / "vectors.txt"
    text_files.write_word_vectors(vectors, ["good", "other"])
    folder = _write(tmp_path / "leaf", {"u": ([_tweet("good bad")], [1])}, {})
    (tmp_path / "leaf" / "test" / "data.json").write_text(
        '{"users": [], "num_samples": [], "user_data": {}}'
    )
    dataset = registry.load("leaf", leaf_dir=folder, options={"embeddings": f"glove:{vectors}"})
    assert dataset.vocabulary.words == ("good",)
    assert dataset.train.examples("u")["x"][0, :2].tolist() == [1, 0]


def test_each_kind_has_its_model_and_says_so(tmp_path):
    words = _write(tmp_path / "words", {"u": (["a b", "c d e"], ["x", "y"])}, {"u": (["a"], ["z"])})
    window = ["a" * 10, "b" * 10]
    characters = _write(tmp_path / "c", {"u": (window, ["x", "y"])}, {"u": (window, ["a", "b"])})
    for folder, model, other, kind in (
        (words, "sentiment_lstm", "next_character_lstm", "words"),
        (characters, "next_character_lstm", "sentiment_lstm", "characters"),
    ):
        task = load_task("leaf", model=model, leaf_dir=folder)
        built, examples = task.build_model(0), task.dataset.train.examples("u")
        logits = built.predict_on_batch(built.initial_weights, examples["x"])
        assert logits.shape == (2, task.dataset.num_classes)
        assert np.isfinite(built.loss(logits, examples["y"]))
        with pytest.raises(DataError, match=f"is text, in {kind}; the model for it is {model}"):
            load_task("leaf", leaf_dir=folder)
        with pytest.raises(DataError, match="the LSTM needs"):
            load_task("leaf", model=other, leaf_dir=folder)


def test_what_is_no_text_stays_as_it_is():
    dataset = synthetic(num_clients=2)
    assert as_numbers(dataset) is dataset


def test_bad_text_is_refused(tmp_path):
    folder = _write(tmp_path, {"u": ([["a", "b"]], [1])}, {"u": ([["a", "b"]], [1])})
    with pytest.raises(DataError, match="each x is 2 texts; it must be one, or the 5 of Sent"):
        registry.load("leaf", leaf_dir=folder)
    with pytest.raises(ValueError, match="embeddings is 'glove'"):
        as_numbers(read_leaf_json(folder), embeddings="glove")


@pytest.mark.parametrize(
    "x",
    [
        ["a/clip_1.wav", "b/clip_22.wav"],
        ["x.npy", "y.npy"],
        ["0.5", "-1e3"],
        ["3", "12"],
        [
            "iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAAAAABXZoBIAAAA" * 2,
            "R0lGODlhAQABAIAAAAAAAP___yH5BAEAAAAALAAA",
        ],
    ],
)
def test_strings_that_are_no_text_are_refused(tmp_path, x):
    folder = _write(tmp_path, {"u": (x, [0, 1])}, {"u": (x[:1], [0])})
    with pytest.raises(DataError, match="must be numbers, or text"):
        registry.load("leaf", leaf_dir=folder)


@pytest.mark.parametrize("x", [["zoe", "3 apples"], ["see a.jpg", "good"], ["no.", "yes.Sir Well"]])
def test_short_texts_are_text(tmp_path, x):
    folder = _write(tmp_path, {"u": (x, [0, 1])}, {"u": (x[:1], [0])})
    assert isinstance(registry.load("leaf", leaf_dir=folder), TweetDataset)
