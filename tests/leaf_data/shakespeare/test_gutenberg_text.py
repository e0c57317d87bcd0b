"""Tests of `leaf_data.shakespeare.gutenberg_text`."""

from __future__ import annotations

import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.shakespeare.gutenberg_text import parse_gutenberg_text


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


@pytest.mark.parametrize("distance", [2, 3, 6, 7])
def test_a_title_is_two_to_seven_lines_above(distance):
    text = "TITLE\n" + "\n" * (distance - 1) + "by William Shakespeare\n"
    roles = _parse(text + "  ROLE. x\n    y\n    " + "z" * 99)
    assert list(roles) == ["TITLE_ROLE"]


@pytest.mark.parametrize("text", ["by William Shakespeare", "T\n" * 2 + "\n" * 7])
def test_a_work_needs_a_title(text):
    text = text if text.startswith("by") else text + "by William Shakespeare\n"
    with pytest.raises(DataError, match=r"a.txt, line \d+: a work has no title"):
        _parse(text)


@pytest.mark.parametrize("text", ["", "<html>404</html>", "T\n\nby William Shakespeare\n"])
def test_text_without_plays_is_refused(text):
    with pytest.raises(DataError, match="a.txt: has no play with speaking roles"):
        _parse(text)
