"""Tests of `leaf_data.local_files`."""

from __future__ import annotations

import gzip

import pytest

from leaf_data.local_files import find_file, open_text


@pytest.mark.parametrize(
    ("there", "found"),
    [
        ([], None),
        (["a.txt.gz"], "a.txt.gz"),
        (["a.txt.gz", "a.txt"], "a.txt"),
        (["b_2.txt", "b_1.txt.gz", "c.txt"], "b_2.txt"),
        (["b_2.txt.gz", "b_1.txt.gz"], "b_1.txt.gz"),
        (["b_1.txt", "a.txt.gz"], "a.txt.gz"),
    ],
)
def test_names_come_in_their_order_and_each_gzipped(tmp_path, there, found):
    for name in there:
        (tmp_path / name).touch()
    path = find_file(tmp_path, "a.txt", "b_*.txt")
    assert (path and path.name) == found


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a.txt").mkdir()
    assert find_file(tmp_path, "a.txt") is None
    assert find_file(tmp_path / "nowhere", "a.txt") is None


@pytest.mark.parametrize("name", ["text", "text.gz"])
@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("caf\xe9".encode(), "utf-8"),
        ("caf\xe9".encode("utf-8-sig"), "utf-8"),
        ("caf\xe9".encode("latin-1"), "latin-1"),
        ("caf\xe9".encode("utf-8-sig"), "latin-1"),
    ],
)
def test_text_is_read_with_and_without_a_byte_order_mark(tmp_path, name, content, encoding):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with open_text(path, encoding=encoding) as file:
        assert file.read() == "caf\xe9"
