"""Tests of `leaf_data.sent140.tweets`."""

from __future__ import annotations

import numpy as np
import pytest
import text_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("kept", [0, 5, 30, -9, -1])
def test_a_truncated_file_is_refused(tmp_path, kept):
    path = tmp_path / "a.csv.gz"
    text_files.write_tweets(path, _ROWS)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match=r"a.csv.gz: (is no whole file|has no tweets)"):
        read_tweets(path, encoding="utf-8")


def test_a_wrong_encoding_is_refused(tmp_path):
    text_files.write_tweets(tmp_path / "a.csv", _ROWS)
    with pytest.raises(DataError, match="is no whole file of utf-8 text"):
        read_tweets(tmp_path / "a.csv", encoding="utf-8")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="a.csv: is no whole file"):
        read_tweets(tmp_path / "a.csv", encoding="utf-8")


_PIECES = st.sampled_from(['"', ",", "\n", "\r", "\0", "0", "4", '"4","1","d","q","a","t"\n', "é"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(_PIECES | st.text(max_size=5), max_size=30).map("".join))
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_any_text_is_tweets_or_refused(tmp_path, encoding, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        tweets = read_tweets(path, encoding=encoding)
    except DataError:
        return
    assert len(tweets.is_positive) == len(tweets.fields) > 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.binary(max_size=60))
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_any_bytes_are_refused(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_tweets(path, encoding="utf-8")
