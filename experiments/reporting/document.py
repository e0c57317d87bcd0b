"""A page as data: what is said is written once, and shown as Markdown and as HTML."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence
from typing import Union


@dataclasses.dataclass(frozen=True)
class Code:
    """A few words as code."""

    text: str


@dataclasses.dataclass(frozen=True)
class Link:
    """A link to a heading, of the same page or of another.

    Attributes:
        text: What is shown.
        anchor: The heading's, of which there is one.
    """

    text: str
    anchor: str


@dataclasses.dataclass(frozen=True)
class Mark:
    """A verdict that must be seen at once.

    Attributes:
        text: What is shown.
        kind: What decides its colour: good, partly, bad or open.
    """

    text: str
    kind: str


Inline = Union[str, Code, Link, Mark]
# One thing, several in a row, or several below one another.
Line = Union[Inline, tuple[Inline, ...]]


@dataclasses.dataclass(frozen=True)
class Lines:
    """Lines below one another in one cell."""

    lines: tuple[Line, ...]


Cell = Union[Line, Lines]


@dataclasses.dataclass(frozen=True)
class Heading:
    """A heading.

    Attributes:
        level: From 1 for the page's own.
        text: What it says.
        anchor: By what links find it.
    """

    level: int
    text: str
    anchor: str | None = None


@dataclasses.dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    content: Line


@dataclasses.dataclass(frozen=True)
class Items:
    """A list."""

    items: Sequence[Line]


@dataclasses.dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        header: The columns' names.
        rows: As long as the header.
        is_stacked: Whether the cells of a row stand below one another where the page is narrow,
            as texts are read; numbers are scrolled to.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    is_stacked: bool = False


@dataclasses.dataclass(frozen=True)
class CodeBlock:
    """A command."""

    text: str


@dataclasses.dataclass(frozen=True)
class Image:
    """A picture.

    Attributes:
        alternative: What it shows, in words.
        content: Its bytes, which an HTML page holds within.
        media_type: Their type.
        file: Where it lies, which a Markdown page links to; None if nowhere.
    """

    alternative: str
    content: bytes
    media_type: str
    file: pathlib.Path | None = None


@dataclasses.dataclass(frozen=True)
class Details:
    """What is shown on demand.

    Attributes:
        summary: What is always shown.
        blocks: The rest.
        file: Where the rest lies as a file, which a Markdown page links to instead.
    """

    summary: str
    blocks: Sequence[Block]
    file: pathlib.Path | None = None


@dataclasses.dataclass(frozen=True)
class Part:
    """What is a page of its own as Markdown, and stands in its place in HTML.

    Attributes:
        name: The page's, a file name without ending.
        title: The page's; in its place in HTML it needs none.
        blocks: What stands on it, with headings from the third level on.
    """

    name: str
    title: str
    blocks: Sequence[Block]


Block = Union[Heading, Paragraph, Items, Grid, CodeBlock, Image, Details, Part]
