"""Tests of `leaf_data.shakespeare.plays_json`."""

from __future__ import annotations

import gzip
import json

import pytest
import text_files

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


def test_what_is_no_whole_file_of_json_is_refused(tmp_path):
    text_files.write_plays(tmp_path / "cut.json.gz", text_files.PLAYS)
    content = (tmp_path / "cut.json.gz").read_bytes()
    (tmp_path / "cut.json.gz").write_bytes(content[:-9])
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for name in ("none.json", "cut.json.gz", "deep.json"):
        with pytest.raises(DataError, match=f"{name}: is no whole file of JSON"):
            read_plays_json(tmp_path / name)
