"""Pages as Markdown."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Mapping, Sequence

from experiments.reporting.document import (
    Block,
    Cell,
    Code,
    CodeBlock,
    Details,
    Grid,
    Heading,
    Image,
    Inline,
    Items,
    Line,
    Lines,
    Link,
    Mark,
    Paragraph,
    Part,
)

# What Markdown or HTML would take for more than text. An underscore within a word is one.
_SPECIAL = re.compile(r"[\\`*|\[\]]|(?<!\w)_|_(?!\w)")


def folder_of_parts(path: pathlib.Path) -> pathlib.Path:
    """Returns where the parts of a page lie: beside it, in a folder that has its name."""
    return path.with_name(f"{path.stem}_by_paper")


def markdown_pages(blocks: Sequence[Block], path: pathlib.Path) -> dict[pathlib.Path, str]:
    """Returns the pages, each by where it is to be written.

    Args:
        blocks: What stands on the first page, and as parts of it on the others.
        path: Where the first page is to be written, from which files are found; the others are to
            be written to `folder_of_parts`.
    """
    folder = folder_of_parts(path)
    contents: dict[pathlib.Path, Sequence[Block]] = {
        path: [block for block in blocks if not isinstance(block, Part)]
    }
    for block in blocks:
        if isinstance(block, Part):
            contents[folder / f"{block.name}.md"] = _as_page(block)
    places = {
        block.anchor: place
        for place, content in contents.items()
        for block in content
        if isinstance(block, Heading) and block.anchor is not None
    }
    return {place: _Page(place, places).text(content) for place, content in contents.items()}


def markdown_text(blocks: Sequence[Block]) -> str:
    """Returns blocks that link to nothing, and are no page of their own, as Markdown."""
    return _Page(pathlib.Path(), {}).text(blocks)


def _as_page(part: Part) -> list[Block]:
    blocks = [
        dataclasses.replace(block, level=block.level - 1) if isinstance(block, Heading) else block
        for block in part.blocks
    ]
    return [Heading(1, part.title), *blocks]


def escaped(text: str) -> str:
    """Returns a text that shows as it is, on one line."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, entity)
    return _SPECIAL.sub(lambda match: "\\" + match[0], " ".join(text.split()))


class _Page:
    def __init__(self, path: pathlib.Path, places: Mapping[str, pathlib.Path]):
        self._path = path
        self._places = places

    def text(self, blocks: Sequence[Block]) -> str:
        return "\n\n".join(text for block in blocks if (text := self._block(block))) + "\n"

    def _block(self, block: Block) -> str:
        if isinstance(block, Heading):
            anchor = "" if block.anchor is None else f'<a id="{block.anchor}"></a>\n\n'
            return f"{anchor}{'#' * block.level} {escaped(block.text)}"
        if isinstance(block, Paragraph):
            return self._line(block.content)
        if isinstance(block, Items):
            return "\n".join(f"- {self._line(item)}" for item in block.items)
        if isinstance(block, Grid):
            header = [escaped(name) for name in block.header]
            rows = [[self._cell(cell) for cell in row] for row in block.rows]
            separator = ["---"] * len(header)
            return "\n".join("| " + " | ".join(row) + " |" for row in (header, separator, *rows))
        if isinstance(block, CodeBlock):
            return f"```console\n{block.text}\n```"
        if isinstance(block, Image):
            if block.file is None:
                return ""
            return f"![{escaped(block.alternative)}](<{self._from_here(block.file)}>)"
        if isinstance(block, Details):
            if block.file is not None:
                return f"- [{escaped(block.summary)}](<{self._from_here(block.file)}>)"
            inner = "\n\n".join(map(self._block, block.blocks))
            return f"<details><summary>{escaped(block.summary)}</summary>\n\n{inner}\n\n</details>"
        raise TypeError(f"block must be one of {Block} and no part of a part, got {type(block)}")

    def _from_here(self, file: pathlib.Path) -> str:
        return pathlib.Path(os.path.relpath(file, self._path.parent)).as_posix()

    def _cell(self, cell: Cell) -> str:
        return (
            "<br>".join(map(self._line, cell.lines))
            if isinstance(cell, Lines)
            else self._line(cell)
        )

    def _line(self, line: Line) -> str:
        return "".join(map(self._inline, line)) if isinstance(line, tuple) else self._inline(line)

    def _inline(self, part: Inline) -> str:
        if isinstance(part, Code):
            return f"`{part.text.replace('`', '')}`".replace("|", "\\|")
        if isinstance(part, Link):
            page = self._places.get(part.anchor, self._path)
            before = "" if page == self._path else self._from_here(page)
            return f"[{escaped(part.text)}]({before}#{part.anchor})"
        if isinstance(part, Mark):
            return f"**{escaped(part.text)}**"
        # A text between two others keeps the spaces at its ends.
        left = " " * part[:1].isspace()
        right = " " * (part[-1:].isspace() and bool(part.strip()))
        return f"{left}{escaped(part)}{right}"
