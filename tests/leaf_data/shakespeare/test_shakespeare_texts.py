"""Tests of what reads Shakespeare: his roles, in every form that they come in."""

from __future__ import annotations

import gzip
import json
import zipfile

import numpy as np
import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.shakespeare import gutenberg_builder, sources
from leaf_data.shakespeare.alphabet import ALPHABET, UNKNOWN_SYMBOL, to_symbols, to_text
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text
from leaf_data.shakespeare.plays_json import read_plays_json
from leaf_data.shakespeare.roles import Role, roles_of
from leaf_data.shakespeare.tff_roles import read_tff_roles


def test_windows_are_80_characters_and_the_next():
    text = "".join(chr(ord("a") + place % 26) for place in range(83))
    role = Role("id", text)
    x, y = role.windows()
    assert (x.shape, x.dtype, y.shape, y.dtype) == ((3, 80), np.uint8, (3,), np.int32)
    assert role.num_windows == 3
    for place in range(3):
        assert to_text(x[place]) == text[place : place + 80]
        assert to_text(y[place : place + 1]) == text[place + 80]


def test_lines_become_one_with_single_spaces_and_roles_that_say_too_little_are_dropped():
    """`a b c ` and so on: joined by spaces, one at the end, and runs of them become one.

    Two lines are too few however long; 80 characters, the last space among them, as well.
    """
    (role,) = roles_of([("A Play, Indeed", "ROLE", ["a   b", "", "c", "x" * 80])])
    assert role == Role("A_Play__Indeed_ROLE", "a b c " + "x" * 80 + " ")
    roles = roles_of(
        [
            ("P", "two", ["x" * 100] * 2),
            ("P", "short", ["x", "x", "x" * 75]),
            ("P", "three", ["x", "x", "x" * 76]),
        ]
    )
    assert [(role.client_id, len(role.text)) for role in roles] == [("P_three", 81)]
    assert roles[0].num_windows == 1


def test_there_are_80_symbols_and_all_else_is_unknown():
    """LEAF's: newline, space, 10 marks, 10 digits, 4 marks, 26, 2 brackets, 26, a brace."""
    assert len(ALPHABET) == len(set(ALPHABET)) == 80
    assert [ALPHABET.index(character) for character in "\n a}"] == [0, 1, 53, 79]
    symbols = to_symbols(ALPHABET)
    assert symbols.dtype == np.uint8
    np.testing.assert_array_equal(symbols, np.arange(80))
    assert to_text(symbols) == ALPHABET
    unknown = to_symbols("a$\t\x80é–\U0001f600\ud800b")
    assert unknown.tolist() == [53, *[UNKNOWN_SYMBOL] * 7, 54]
    assert to_text(unknown) == "a}}}}}}}b"
    assert len(to_symbols("")) == 0


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
        ([{**_ROLE, "speeches": [1]}], "entry 0, field 'speeches': must be a list of texts"),
        ([_ROLE], "no role has more than two lines"),
    ],
)
def test_other_content_and_what_is_no_whole_file_are_refused(tmp_path, content, message):
    path = tmp_path / "plays.json.gz"
    text_files.write_plays(path, content)
    with pytest.raises(DataError, match=f"plays.json.gz[:,] ?{message}"):
        read_plays_json(path)
    text_files.write_plays(tmp_path / "cut.json.gz", text_files.PLAYS)
    content = (tmp_path / "cut.json.gz").read_bytes()
    (tmp_path / "cut.json.gz").write_bytes(content[:-9])
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for name in ("none.json", "cut.json.gz", "deep.json"):
        with pytest.raises(DataError, match=f"{name}: is no whole file of JSON"):
            read_plays_json(tmp_path / name)


def test_tffs_snippets_are_joined(tmp_path):
    text_files.write_shakespeare_sqlite(
        tmp_path / "shakespeare.sqlite",
        {
            "train": {"B": ["one\ntwo", "three" * 20], "A": ["x" * 80], "C": ["short"]},
            "test": {"B": ["four  five"], "A": ["y"], "C": ["z" * 99]},
        },
    )
    train, test = read_tff_roles(tmp_path)
    assert [(role.client_id, role.text) for role in train] == [
        ("A", "x" * 80 + " "),
        ("B", "one two " + "three" * 20 + " "),
    ]
    assert [role.text for role in test] == ["y ", "four five "]


def test_another_database_is_refused(tmp_path):
    splits = {"train": {"A": ["a"], "B": ["b"]}, "test": {"A": ["a"]}}
    text_files.write_shakespeare_sqlite(tmp_path / "shakespeare.sqlite", splits)
    with pytest.raises(DataError, match="shakespeare.sqlite: its train and test split have"):
        read_tff_roles(tmp_path)
    (tmp_path / "shakespeare.sqlite").unlink()
    splits["test"]["B"] = ["b"]
    text_files.write_shakespeare_sqlite(tmp_path / "shakespeare.sqlite", splits)
    with pytest.raises(DataError, match="shakespeare.sqlite: no role says more than 80"):
        read_tff_roles(tmp_path)
    (tmp_path / "shakespeare.sqlite").write_bytes(b"no database" * 99)
    with pytest.raises(DataError, match="is not TFF's Shakespeare"):
        read_tff_roles(tmp_path)


def _parse(text: str) -> dict[str, str]:
    return {role.client_id: role.text for role in parse_gutenberg_text(text.encode(), "a.txt")}


def test_both_indentations():
    """Of the plays alone: KING and PAGE have two lines, poems and notices are nobody's.

    That somebody leaves is spoken, by LEAF's rules, and so is the notice's last line in the
    play without indentation, but here it is too short for a role.
    """
    roles = _parse(text_files.GUTENBERG_TEXT)
    assert roles == {
        "ALLS_WELL_ENOUGH_HELENA": (
            "Where is the King? I have been seeking him in all the rooms of this great house, and"
            " found there none but servants who know nothing; and three spaces are one. Then I am"
            " glad. " + "I have much to say to your Majesty. " * 3 + "Exit HELENA "
        ),
        "THE_COMEDY_OF_ERRORS_DUKE": (
            "Merchant of Syracuse, plead no more; this line is long enough. This one goes on"
            " without any indentation, and so does this, after an empty line. "
        ),
        "THE_COMEDY_OF_ERRORS_DUKE_OF_EPHESUS": (
            "I am another role with as many as three lines, and more than eighty characters in"
            " them, which is what it takes. "
        ),
    }


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_encodings_and_line_ends(encoding):
    text = text_files.GUTENBERG_TEXT.replace("know nothing", "know n\xe9ant").replace("\n", "\r\n")
    roles = parse_gutenberg_text(text.encode(encoding), "a.txt")
    assert len(roles) == 3
    assert "know n\xe9ant; and three" in roles[0].text


def test_a_speech_does_not_go_on_into_the_next_play():
    speech = "  ROLE. " + "x" * 99 + "\n    b\n    c\n"
    title = "TITLE {}\n\nby William Shakespeare\n"
    roles = _parse(title.format(1) + speech + title.format(2) + "    more\n" + speech)
    assert sorted(roles) == ["TITLE_1_ROLE", "TITLE_2_ROLE"]
    assert len(set(roles.values())) == 1


def test_a_work_needs_a_title_two_to_seven_lines_above_and_a_role():
    work = "by William Shakespeare\n"
    for distance in (2, 7):
        text = "TITLE" + "\n" * distance + work + "  ROLE. x\n    y\n    " + "z" * 99
        assert list(_parse(text)) == ["TITLE_ROLE"]
    for text in (work, "T\n" * 2 + "\n" * 7 + work):
        with pytest.raises(DataError, match=r"a.txt, line \d+: a work has no title"):
            _parse(text)
    for text in ("", "<html>404</html>", "T\n\n" + work):
        with pytest.raises(DataError, match="a.txt: has no play with speaking roles"):
            _parse(text)


def test_text_is_downloaded_once_and_damage_and_other_archives_are_refused(tmp_path, monkeypatch):
    pytest.importorskip("importlib_resources", reason="TFDS prepares nothing without it")

    def read(folder):
        return sources.read_roles("shakespeare", data_dir=tmp_path / folder)

    served = tmp_path / "1994-01-100.zip"
    with text_files.gutenberg_served(tmp_path) as address:
        monkeypatch.setattr(gutenberg_builder, "ADDRESS", address)
        whole = read("data")
        content = served.read_bytes()
        served.unlink()
        assert read("data") == whole
        assert whole.roles == parse_gutenberg_text(text_files.GUTENBERG_TEXT.encode(), "")
        assert whole.origin == "tensorflow_datasets gutenberg_shakespeare/1.0.0"
        (prepared,) = (tmp_path / "data").rglob("*.tfrecord*")
        prepared.write_bytes(prepared.read_bytes()[:-10])
        with pytest.raises(DataError, match="TFDS' prepared files are damaged; remove it"):
            read("data")
        served.write_bytes(content[:-40])
        with pytest.raises(DataError, match="1994-01-100.zip cannot be had"):
            read("cut")
        with zipfile.ZipFile(served, "w") as file:
            file.writestr("100.txt", "Nothing but prose.")
        with pytest.raises(DataError, match="has no play with speaking roles"):
            read("other")


def test_local_files_in_order_or_the_edition_asked_for(tmp_path):
    def read(edition="any"):
        found = sources.read_roles("shakespeare", data_dir=tmp_path, edition=edition)
        return len(found.roles), found.origin

    gutenberg, plays = "shakespeare_gutenberg_1994.txt.gz", "shakespeare_plays.json.gz"
    content = text_files.GUTENBERG_TEXT.encode("utf-8-sig")
    (tmp_path / gutenberg).write_bytes(gzip.compress(content))
    assert read() == (3, gutenberg)
    (tmp_path / "100.txt").write_bytes(content)
    assert read() == (3, "100.txt")
    with pytest.raises(DataError, match="edition=plays needs"):
        read("plays")
    text_files.write_plays(tmp_path / plays, text_files.PLAYS)
    assert read() == read("plays") == (2, plays)
    assert read("gutenberg") == (3, "100.txt")
    unpacked = gzip.decompress((tmp_path / plays).read_bytes())
    (tmp_path / "shakespeare_plays.json").write_bytes(unpacked)
    assert read("plays") == (2, "shakespeare_plays.json")
    (tmp_path / "cut").mkdir()
    cut = gzip.compress(text_files.GUTENBERG_TEXT.encode())[:-20]
    (tmp_path / "cut" / "100.txt.gz").write_bytes(cut)
    with pytest.raises(DataError, match="100.txt.gz: cannot be read"):
        sources.read_roles("shakespeare", data_dir=tmp_path / "cut")
