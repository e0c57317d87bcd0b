"""Plays and roles in Project Gutenberg's first edition of Shakespeare, which LEAF uses.

A work has its title some lines above a line `by William Shakespeare`. In the plays a speech begins
with two spaces, the role's name and a full stop, and goes on with four spaces:

      COUNTESS. In delivering my son from me, I bury a second husband.
      BERTRAM. And I in going, madam, weep o'er my father's death anew;
        but I must attend his Majesty's command, to whom I am now in
        ward, evermore in subjection.

Scenes, most entrances and the notice of copyright between the acts are not indented; directions in
the middle of a line are indented by more than four spaces, and are spoken by this rule. The Comedy
of Errors, however, has no indentation at all: there a name at the beginning of a line begins a
speech, and every other line goes on with it.

The rules are LEAF's (https://github.com/TalwalkarLab/leaf, `data/shakespeare/preprocess/`), with
the two poems known by their names where LEAF knows them by their line numbers. On the edition of
2011, which has the same text, they give LEAF's own 1,129 roles with 4,226,158 windows, the same
text in each. Two of these are no roles: two sentences of the notice of copyright in The Comedy of
Errors look like speeches, of WITH PERMISSION and of COMMERCIALLY. They stay, for LEAF's numbers.
"""

from __future__ import annotations

import pathlib
import re
import zlib
from collections.abc import Iterator

from leaf_data.errors import DataError
from leaf_data.local_files import read_bytes
from leaf_data.shakespeare.roles import Role, roles_of

_AUTHOR_LINE = "by William Shakespeare"
_POEMS = ("THE SONNETS", "A LOVER'S COMPLAINT")
_COMEDY_OF_ERRORS = "THE COMEDY OF ERRORS"
# The first and the last line above `_AUTHOR_LINE` that may be the title.
_NEAREST_TITLE, _FARTHEST_TITLE = 2, 7

_SPEECH_BEGINS = re.compile(r" {2}(?P<role>[A-Za-z][A-Za-z ]*)\. (?P<line>.*)")
_SPEECH_GOES_ON = re.compile(r" {4}(?P<line>.*)")
_COMEDY_OF_ERRORS_SPEECH_BEGINS = re.compile(r"(?P<role>[A-Za-z][A-Za-z ]*)\. (?P<line>.*)")


def read_gutenberg_text(path: pathlib.Path) -> list[Role]:
    """Finds the roles of all plays in a file, gzipped if its name ends in `.gz`.

    Raises:
        DataError: As `parse_gutenberg_text`, or if the file cannot be read or is truncated.
    """
    try:
        content = read_bytes(path)
    except (EOFError, OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: cannot be read ({reason}).") from None
    return parse_gutenberg_text(content, str(path))


def parse_gutenberg_text(content: bytes, path: str) -> list[Role]:
    """Finds the roles of all plays.

    Args:
        content: The text; UTF-8, or else Latin-1.
        path: Where it comes from, for errors.

    Returns:
        The roles, in the order of the text.

    Raises:
        DataError: If a work has no title, or no role of any play says enough.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    lines_of: dict[tuple[str, str], list[str]] = {}
    for play, role, line in _spoken_lines(text.splitlines(), path):
        # Names are written now in capitals, now not.
        lines_of.setdefault((play, role.upper()), []).append(line)
    roles = roles_of((play, role, lines) for (play, role), lines in lines_of.items())
    if not roles:
        raise DataError(
            f"{path}: has no play with speaking roles; it must be the text of Project Gutenberg's"
            " no. 100 of 1994 or 2011."
        )
    return roles


def _spoken_lines(lines: list[str], path: str) -> Iterator[tuple[str, str, str]]:
    """Yields `(play, role, line)`."""
    play = role = None
    for index, line in enumerate(lines):
        if line.strip() == _AUTHOR_LINE:
            title = _title_above(lines, index)
            if not title:
                raise DataError(f"{path}, line {index + 1}: a work has no title above its author.")
            play, role = (None if title in _POEMS else title), None
        elif play == _COMEDY_OF_ERRORS:
            begins = _COMEDY_OF_ERRORS_SPEECH_BEGINS.fullmatch(line)
            if begins:
                role = None if begins["role"].upper().startswith("ACT ") else begins["role"]
            elif line.startswith("<"):  # The notice of copyright.
                role = None
            if role is not None:
                yield play, role, begins["line"] if begins else line
        elif play is not None:
            begins = _SPEECH_BEGINS.fullmatch(line)
            goes_on = None if begins else _SPEECH_GOES_ON.fullmatch(line)
            if begins:
                role = begins["role"]
                yield play, role, begins["line"]
            elif goes_on and role is not None:
                yield play, role, goes_on["line"]


def _title_above(lines: list[str], author_line: int) -> str:
    """The nearest line with anything on it, or an empty string."""
    candidates = range(author_line - _NEAREST_TITLE, author_line - _FARTHEST_TITLE - 1, -1)
    return next(
        (lines[index].strip() for index in candidates if index >= 0 and lines[index].strip()), ""
    )
