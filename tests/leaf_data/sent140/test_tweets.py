"""Tests of `leaf_data.sent140.tweets`."""

from __future__ import annotations

import numpy as np
import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.sent140.tweets import read_tweets

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


def test_the_last_row_needs_no_line_end(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text_files.to_csv(_ROWS).rstrip("\r\n"), encoding="latin-1")
    assert len(read_tweets(path, encoding="latin-1").texts) == 3


def test_files_that_are_missing_truncated_or_of_another_encoding_are_refused(tmp_path):
    text_files.write_tweets(tmp_path / "latin.csv", _ROWS)
    text_files.write_tweets(tmp_path / "cut.csv.gz", _ROWS)
    content = (tmp_path / "cut.csv.gz").read_bytes()
    (tmp_path / "cut.csv.gz").write_bytes(content[:-9])
    for name in ("none.csv", "cut.csv.gz", "latin.csv"):
        with pytest.raises(DataError, match=f"{name}: is no whole file of utf-8 text"):
            read_tweets(tmp_path / name, encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no tweets"),
        ("0,1,2,3,4\n", "line 1: has 5 fields, not the 6"),
        ("\n", "line 1: has 0 fields"),
        ("0,1,d,q,a,t\n0,1,d,q,a,t,training\n", "line 2: has 7 fields"),
        ("target,ids,date,flag,user,text\n", "line 1, field 'polarity': is 'target'"),
        ("1,1,d,q,a,t\n", "line 1, field 'polarity': is '1'; it must be one of 0, 2, 4"),
        ("0,1,d,q,,t\n", "line 1, field 'user': is empty"),
        ('"0","1","d","q","a","t', "ends inside a quoted field; it is truncated"),
        ('"0","1","d","q","a","' + "t" * 200_000 + '"\n', "line 1: is no CSV"),
    ],
)
def test_other_content_is_refused(tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=f"a.csv[:,] ?{message}"):
        read_tweets(path, encoding="utf-8")
