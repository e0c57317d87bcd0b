"""Tests of `leaf_data.sent140`'s `tweets`, `sources` and `vocabulary`."""

import types

import numpy as np
import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.sent140 import sources
from leaf_data.sent140.sources import TEST_CSV, TRAINING_CSV, find_tweets
from leaf_data.sent140.tweets import read_tweets
from leaf_data.sent140.vocabulary import Vocabulary, glove_vocabulary, learned_vocabulary, tokenize

_ROWS = [
    text_files.tweet("ann", 'She said "caf\xe9", and\nleft', 4, 7),
    text_files.tweet("bob", "", 0, 8),
    text_files.tweet("ann", "so so", 2, 9),
]


@pytest.mark.parametrize(
    ("name", "encoding"), [("a.csv.gz", "utf-8"), ("a.csv", "latin-1"), ("b.csv", "latin-1")]
)
def test_columns_and_encodings(tmp_path, name, encoding):
    """Only polarity 4 is positive."""
    text_files.write_tweets(tmp_path / name, _ROWS)
    tweets = read_tweets(tmp_path / name, encoding=encoding)
    assert tweets.is_positive.dtype == np.int32
    assert tweets.is_positive.tolist() == [1, 0, 0]
    assert tweets.accounts == ["ann", "bob", "ann"]
    assert tweets.texts == ['She said "caf\xe9", and\nleft', "", "so so"]
    assert tweets.fields[0] == tuple(_ROWS[0][1:])


def test_files_that_are_missing_truncated_or_of_another_encoding_are_refused(tmp_path):
    text_files.write_tweets(tmp_path / "latin.csv", _ROWS)
    text_files.write_tweets(tmp_path / "cut.csv.gz", _ROWS)
    (tmp_path / "cut.csv.gz").write_bytes((tmp_path / "cut.csv.gz").read_bytes()[:-9])
    for name in ("none.csv", "cut.csv.gz", "latin.csv"):
        with pytest.raises(DataError, match=f"{name}: is no whole file of utf-8 text"):
            read_tweets(tmp_path / name, encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no tweets"),
        ("\n", "line 1: has 0 fields"),
        ("0,1,d,q,a,t\n0,1,d,q,a,t,training\n", "line 2: has 7 fields"),
        ("1,1,d,q,a,t\n", "line 1, field 'polarity': is '1'; it must be one of 0, 2, 4"),
        ("0,1,d,q,,t\n", "line 1, field 'user': is empty"),
        ('0,1,d,q,a,"t" t\n', "line 1: is no CSV"),
        ('"0","1","d","q","a","t', "ends inside a quoted field; it is truncated"),
        ('"0","1","d","q","a","' + "t" * 200_000 + '"\n', "line 1: is no CSV"),
    ],
)
def test_other_content_is_refused(tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=f"a.csv[:,] ?{message}"):
        read_tweets(path, encoding="utf-8")


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


def test_tfds_is_read(tmp_path, monkeypatch):
    """As TFDS gives its two splits; it has no ids."""

    builder = types.SimpleNamespace(info=types.SimpleNamespace(full_name="sentiment140/1.0.0"))

    def read_split(_, split):
        rows = {"train": _TRAINING, "test": _BY_HAND}[split]
        return {
            "polarity": np.array([int(row[0]) for row in rows], np.int32),
            **{
                field: np.array([row[column].encode() for row in rows], object)
                for column, field in enumerate(("date", "query", "user", "text"), start=2)
            },
        }

    monkeypatch.setattr(sources.sources, "prepare_tfds", lambda *_, **__: builder)
    monkeypatch.setattr(sources, "read_split", read_split)
    tweets, origin = find_tweets("sent140", data_dir=tmp_path)
    assert tweets.is_positive.tolist() == [1, 0, 0]
    assert tweets.fields[0] == ("", "Mon Apr 06 2009", "NO_QUERY", "ann", "caf\xe9")
    assert origin == "tensorflow_datasets sentiment140/1.0.0"


def test_tokens_are_leafs():
    """Words with apostrophes and the marks .,!?; – capitals stay, all else goes."""
    assert tokenize("@ann Isn't it good? Yes!! #1 http://t.co :-)") == (
        ["ann", "Isn't", "it", "good", "?", "Yes", "!", "!", "1", "http", "t", ".", "co"]
    )


def test_numbers_of_the_first_25_tokens():
    vocabulary = Vocabulary(("good", "day"))
    numbers = vocabulary.encode(["good day , good sir", "day " * 30, ""])
    assert (numbers.shape, numbers.dtype) == ((3, 25), np.int32)
    assert numbers[0].tolist() == [1, 2, 0, 1, 0] + [0] * 20
    assert numbers[1].tolist() == [2] * 25
    assert numbers[2].tolist() == [0] * 25
    assert vocabulary.size == 3


def test_learned_words_are_the_most_frequent_ones():
    vocabulary = learned_vocabulary(["b b a", "c a. b", "d"])
    assert vocabulary.words == ("b", "a", ".", "c", "d")
    assert vocabulary.vectors is None
    assert learned_vocabulary(str(n) for n in range(10_500)).size == 10_001


@pytest.mark.parametrize(("name", "size"), [("vectors.txt", 1), ("vectors.txt.gz", 300)])
def test_word_vectors_of_the_words_that_occur(tmp_path, name, size):
    """The n-th word of the file has n in all places; words may have spaces."""
    path = tmp_path / name
    text_files.write_word_vectors(path, ["the", "good", ". .", "day", "good", "caf\xe9"], size)
    vocabulary = glove_vocabulary(path, ["caf\xe9 good Day day"])
    assert vocabulary.words == ("good", "day", "caf\xe9")
    assert vocabulary.vectors.dtype == np.float32
    np.testing.assert_array_equal(vocabulary.vectors, np.outer([0, 2, 4, 6], np.ones(size)))


def test_what_stands_before_and_after_the_words_is_no_word(tmp_path):
    """A byte order mark, the numbers of words and of their places, and a space at a line's end."""
    path = tmp_path / "vectors.vec"
    path.write_bytes(b"\xef\xbb\xbf2 3\ngood 1 2 3 \r\nday 4 5 6\n")
    vocabulary = glove_vocabulary(path, ["good day"])
    assert vocabulary.words == ("good", "day")
    np.testing.assert_array_equal(vocabulary.vectors, [[0, 0, 0], [1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "is no UTF-8 text"),
        ("other " + "1 " * 299 + "1\n", "has none of the 2 words"),
        ("good 1 2 3\nday 1 2\n", "line 2: has 2 numbers after the word; it must have 3"),
        ("good " + "1 " * 299 + "x\n", "line 1: is no word vector"),
        ("good " + "1 " * 299 + "nan\n", "line 1: has a number that is not finite"),
        ("good\n", "line 1: has 0 numbers"),
    ],
)
def test_other_vectors_are_refused(tmp_path, content, message):
    path = tmp_path / "vectors.txt"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=f"vectors.txt[:,] ?{message}"):
        glove_vocabulary(path, ["good day"])
