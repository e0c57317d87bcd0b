"""Tests of `leaf_data.shakespeare.sources`."""

from __future__ import annotations

import gzip

import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.shakespeare import gutenberg_builder, sources


def test_local_files_in_order(tmp_path):
    (tmp_path / "100.txt").write_text(text_files.GUTENBERG_TEXT)
    found = sources.read_roles("shakespeare", data_dir=tmp_path)
    assert (len(found.roles), found.origin) == (3, "100.txt")
    text_files.write_plays(tmp_path / "shakespeare_plays.json.gz", text_files.PLAYS)
    found = sources.read_roles("shakespeare", data_dir=tmp_path)
    assert (len(found.roles), found.origin) == (2, "shakespeare_plays.json.gz")


@pytest.mark.parametrize("name", ["100.txt", "100.txt.gz", "shakespeare_gutenberg_1994.txt.gz"])
def test_an_edition_is_read_where_it_is_asked_for(tmp_path, name):
    content = text_files.GUTENBERG_TEXT.encode("utf-8-sig")
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(DataError, match="edition=plays needs"):
        sources.read_roles("shakespeare", data_dir=tmp_path, edition="plays")
    text_files.write_plays(tmp_path / "shakespeare_plays.json.gz", text_files.PLAYS)
    counts = {
        edition: len(sources.read_roles("shakespeare", data_dir=tmp_path, edition=edition).roles)
        for edition in ("any", "plays", "gutenberg")
    }
    assert counts == {"any": 2, "plays": 2, "gutenberg": 3}


def test_a_truncated_text_is_refused(tmp_path):
    (tmp_path / "100.txt.gz").write_bytes(gzip.compress(text_files.GUTENBERG_TEXT.encode())[:-20])
    with pytest.raises(DataError, match="100.txt.gz: cannot be read"):
        sources.read_roles("shakespeare", data_dir=tmp_path)


def test_offline_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(gutenberg_builder, "ADDRESS", "http://127.0.0.1:9/1994-01-100.zip")
    with pytest.raises(
        DataError,
        match=r"data set 'shakespeare': there is no .*shakespeare_plays.json.gz or .*100.txt or .*"
        r" and http://127.0.0.1:9/1994-01-100.zip cannot be had .*--data_dir",
    ):
        sources.read_roles("shakespeare", data_dir=tmp_path)
