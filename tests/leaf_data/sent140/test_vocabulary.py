"""Tests of `leaf_data.sent140.vocabulary`."""

from __future__ import annotations

import numpy as np
import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.sent140.vocabulary import (
    Vocabulary,
    glove_vocabulary,
    learned_vocabulary,
    tokenize,
)


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
    words = ["the", "good", ". .", "day", "good", "caf\xe9"]
    text_files.write_word_vectors(path, words, size)
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
        ("", "has none of the 2 words"),
        ("other " + "1 " * 299 + "1\n", "has none of the 2 words"),
        ("good 1 2 3\nday 1 2\n", "line 2: has 2 numbers after the word; it must have 3"),
        ("good 1 2 3\nday 1 2 3 4\n", "line 2: has 4 numbers after the word; it must have 3"),
        ("good 1 2 3\n 1 2 3\n", "line 2: has 3 numbers after the word"),
        ("good " + "1 " * 299 + "x\n", "line 1: is no word vector"),
        ("good " + "1 " * 299 + "nan\n", "line 1: has a number that is not finite"),
        ("good " + "1 " * 299 + "1e99\n", "line 1: has a number that is not finite"),
        ("good\n", "line 1: has 0 numbers"),
    ],
)
def test_other_content_is_refused(tmp_path, content, message):
    path = tmp_path / "vectors.txt"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=f"vectors.txt[:,] ?{message}"):
        glove_vocabulary(path, ["good day"])
