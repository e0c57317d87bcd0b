"""Tests of `leaf_data.shakespeare.sources`."""

from __future__ import annotations

import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.shakespeare import sources


def test_local_files_in_order(tmp_path):
    (tmp_path / "100.txt").write_text(text_files.GUTENBERG_TEXT)
    found = sources.read_roles("shakespeare", data_dir=tmp_path)
    assert (len(found.roles), found.origin) == (3, "100.txt")
    text_files.write_plays(tmp_path / "shakespeare_plays.json.gz", text_files.PLAYS)
    found = sources.read_roles("shakespeare", data_dir=tmp_path)
    assert (len(found.roles), found.origin) == (2, "shakespeare_plays.json.gz")


def test_offline_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "ADDRESS", "http://127.0.0.1:9/1994-01-100.zip")
    with pytest.raises(
        DataError,
        match=r"data set 'shakespeare': there is no .*shakespeare_plays.json.gz or .*100.txt or .*"
        r" and http://127.0.0.1:9/1994-01-100.zip cannot be had .*--data_dir",
    ):
        sources.read_roles("shakespeare", data_dir=tmp_path)
