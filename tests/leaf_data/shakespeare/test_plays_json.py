"""Tests of `leaf_data.shakespeare.plays_json`."""

from __future__ import annotations

import gzip
import json

import pytest
import text_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaf_data.errors import DataError
from leaf_data.shakespeare.plays_json import read_plays_json


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_speeches_are_lines(tmp_path, suffix):
    """The second role is mute: it has two lines."""
    path = tmp_path / f"plays{suffix}"
    content = json.dumps(text_files.PLAYS).encode()
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    first, second = read_plays_json(path)
    assert first.client_id == "Much_Ado__or_Little_First_Clown"
    assert first.text == "One line and another A third $ " + "with more to it. " * 6
    assert second.client_id == "Much_Ado__or_Little_Second_Clown"


_ROLE = {"play": "P", "speaker": "S", "speeches": []}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "must be a list"),
        ([[]], "entry 0: must be an object"),
        ([_ROLE, {**_ROLE, "play": 1}], "entry 1, field 'play': must be text"),
        ([{"play": "P", "speeches": []}], "entry 0, field 'speaker': must be text"),
        ([{**_ROLE, "speeches": "a"}], "entry 0, field 'speeches': must be a list of texts"),
        ([{**_ROLE, "speeches": [1]}], "entry 0, field 'speeches': must be a list of texts"),
        ([], "no role has more than two lines"),
        ([_ROLE], "no role has more than two lines"),
    ],
)
def test_other_content_is_refused(tmp_path, content, message):
    path = tmp_path / "plays.json.gz"
    text_files.write_plays(path, content)
    with pytest.raises(DataError, match=f"plays.json.gz[:,] ?{message}"):
        read_plays_json(path)


@pytest.mark.parametrize("kept", [0, 9, 40, -9, -1])
def test_a_truncated_file_is_refused(tmp_path, kept):
    path = tmp_path / "plays.json.gz"
    text_files.write_plays(path, text_files.PLAYS)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match="is no whole file of JSON"):
        read_plays_json(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="plays.json: is no whole file"):
        read_plays_json(tmp_path / "plays.json")


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["play", "speaker", "speeches"]) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(_JSON.map(lambda content: json.dumps(content).encode()) | st.binary(max_size=60))
def test_any_file_is_plays_or_refused(tmp_path, content):
    path = tmp_path / "plays.json"
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_plays_json(path)


def test_deep_nesting_is_refused(tmp_path):
    path = tmp_path / "plays.json"
    path.write_text("[" * 100_000)
    with pytest.raises(DataError, match="is no whole file of JSON"):
        read_plays_json(path)
