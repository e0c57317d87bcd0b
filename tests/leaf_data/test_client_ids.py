"""Tests of `leaf_data.client_ids`."""

import datetime
import uuid

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

from leaf_data.client_ids import as_client_ids
from leaf_data.errors import DataError


@pytest.mark.parametrize(
    ("client", "ids"),
    [
        (np.array([b"b", b"a"]), ["b", "a"]),
        (tf.constant(["b", "a"]), ["b", "a"]),
        ([frozenset([1]), ("north", 2)], ["frozenset({1})", "('north', 2)"]),
        ([1, 2.5, True], ["1", "2.5", "True"]),
        ([uuid.UUID(int=7)], ["00000000-0000-0000-0000-000000000007"]),
        ([datetime.date(2020, 1, 2)], ["2020-01-02"]),
        (pd.Series([1, 2], dtype="Int64"), ["1", "2"]),
        (pd.Categorical(["b", "a"]), ["b", "a"]),
        (pd.Series(pd.period_range("2020-01", periods=1, freq="M")), ["2020-01"]),
        (pd.MultiIndex.from_tuples([("a", 1)]), ["('a', 1)"]),
    ],
)
def test_ids_are_text_of_anything_hashable(client, ids):
    assert [str(value) for value in as_client_ids(client)] == ids


@pytest.mark.parametrize(
    "client",
    [
        [1, "1"],
        ["a", None],
        [1.0, float("nan")],
        pd.Series(pd.to_datetime(["2020-01-02", None])),
        [{"a": 1}],
        [b"\xff"],
        np.eye(2),
        "north",
    ],
)
def test_what_is_missing_or_says_nobody_is_refused(client):
    with pytest.raises(DataError, match="^client "):
        as_client_ids(client)
