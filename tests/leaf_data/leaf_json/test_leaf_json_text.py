"""Tests of `leaf_data.leaf_json.text`: LEAF's JSON of text, with the models that read it."""

import numpy as np
import pytest
import text_files
from leaf_files import assert_same_data, write_leaf

from leaf_data import registry
from leaf_data.errors import DataError
from leaf_data.leaf_json.conventions import leaf_convention
from leaf_data.leaf_json.text import as_numbers
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.sent140 import TweetDataset, leaf_sent140
from leaf_data.shakespeare import leaf_shakespeare
from leaf_data.shakespeare.alphabet import ALPHABET
from leaf_data.synthetic import synthetic
from leaf_data.tasks import load_task


def test_windows_of_characters_by_hand(tmp_path):
    """Of LEAF's alphabet the newline is 0, the space 1, ! 2; é is none of it and so the last."""
    folder = write_leaf(
        tmp_path, {"u": (["! \n", " \né"], ["!", "\n"])}, {"u": (["\n\n\n"], ["é"])}
    )
    dataset = registry.load("leaf", leaf_dir=folder)
    train, test = dataset.train.examples("u"), dataset.test.examples("u")
    np.testing.assert_array_equal(train["x"], [[2, 1, 0], [1, 0, len(ALPHABET) - 1]])
    np.testing.assert_array_equal(train["y"], [2, 0])
    np.testing.assert_array_equal(test["y"], [len(ALPHABET) - 1])
    assert (train["x"].dtype, train["y"].dtype) == (np.uint8, np.int32)
    assert dataset.alphabet == ALPHABET and dataset.num_classes == len(ALPHABET)


@pytest.mark.parametrize(
    ("labels", "expected", "num_classes"),
    [
        (["0", "4", "2"], [0, 1, 0], 2),
        (["sad", "glad", "angry"], [2, 1, 0], 3),
        ([0, 2, 2], [0, 2, 2], 3),
    ],
)
def test_words_and_their_labels(tmp_path, labels, expected, num_classes):
    """The most frequent word has the number 1, and what training never says 0."""
    texts = ["so so good", "bad so", "bad"]
    folder = write_leaf(tmp_path, {"u": (texts, labels)}, {"u": (["fair so"], labels[:1])})
    dataset = registry.load("leaf", leaf_dir=folder)
    assert dataset.vocabulary.words == ("so", "bad", "good")
    x = dataset.train.examples("u")["x"]
    np.testing.assert_array_equal(x[:, :4], [[1, 1, 3, 0], [2, 1, 0, 0], [2, 0, 0, 0]])
    np.testing.assert_array_equal(dataset.test.examples("u")["x"][0, :3], [0, 1, 0])
    np.testing.assert_array_equal(dataset.train.examples("u")["y"], expected)
    assert dataset.num_classes == num_classes


def test_each_kind_has_its_model_and_says_so(tmp_path):
    words = write_leaf(
        tmp_path / "words", {"u": (["a b", "c d e"], ["x", "y"])}, {"u": (["a"], ["z"])}
    )
    window = ["a" * 10, "b" * 10]
    characters = write_leaf(
        tmp_path / "c", {"u": (window, ["x", "y"])}, {"u": (window, ["a", "b"])}
    )
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


def test_what_leafs_convention_writes_comes_back(tmp_path):
    """Windows as they were; of tweets, whose polarities are "0" and "4", the words are numbered."""
    text_files.write_plays(tmp_path / "shakespeare_plays.json.gz", text_files.plays(2))
    rows = [text_files.tweet("ann", f"good {n}", 4 * (n % 2), n) for n in range(4)]
    text_files.write_tweets(tmp_path / "sent140.csv.gz", rows)
    plays, tweets = leaf_shakespeare(data_dir=tmp_path), leaf_sent140(data_dir=tmp_path)
    as_text = leaf_sent140(data_dir=tmp_path, embeddings="none")
    for written, expected in ((plays, plays), (as_text, tweets)):
        folder = tmp_path / written.name
        write_leaf_json(written, folder, convert=leaf_convention(written))
        read = registry.load("leaf", leaf_dir=str(folder))
        assert getattr(read, "vocabulary", None) == getattr(expected, "vocabulary", None)
        assert_same_data(read, expected)
        if expected is plays:  # Windows that were read are written as text again.
            again = leaf_convention(read)(read.train.examples(read.client_ids[0]))
            assert len(again["x"][0]) == 80


_NO_TEXT = "must be numbers, or text"
_BASE64 = ["iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAAA" * 2, "R0lGODlhAQABAIAAAAAAAP__" * 2]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (["see a.jpg", "good"], None),
        (["no.", "yes.Sir Well"], None),
        (["a/clip_1.wav", "b/clip_22.wav"], _NO_TEXT),
        (["0.5", "-1e3"], _NO_TEXT),
        (_BASE64, _NO_TEXT),
        ([["a", "b"], ["c", "d"]], "each x is 2 texts; it must be one, or the 5 of Sent"),
    ],
)
def test_strings_are_text_or_refused(tmp_path, x, message):
    folder = write_leaf(tmp_path, {"u": (x, [0, 1])}, {"u": (x[:1], [0])})
    if message is None:
        assert isinstance(registry.load("leaf", leaf_dir=folder), TweetDataset)
    else:
        with pytest.raises(DataError, match=message):
            registry.load("leaf", leaf_dir=folder)
    numbers = synthetic(num_clients=1)
    assert as_numbers(numbers) is numbers
