"""A page as Markdown."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Sequence

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
)

# What Markdown or HTML would take for more than text. An underscore within a word is one.
_SPECIAL = re.compile(r"[\\`*|\[\]]|(?<!\w)_|_(?!\w)")


def markdown_page(blocks: Sequence[Block], *, beside: pathlib.Path) -> str:
    """Returns the page.

    Args:
        blocks: What stands on it.
        beside: The folder that it is written to, from which its pictures are found.
    """
    return "\n\n".join(text for block in blocks if (text := _block(block, beside))) + "\n"


def escaped(text: str) -> str:
    """Returns a text that shows as it is, on one line."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, entity)
    return _SPECIAL.sub(lambda match: "\\" + match[0], " ".join(text.split()))


def _block(block: Block, beside: pathlib.Path) -> str:
    if isinstance(block, Heading):
        anchor = "" if block.anchor is None else f'<a id="{block.anchor}"></a>\n\n'
        return f"{anchor}{'#' * block.level} {escaped(block.text)}"
    if isinstance(block, Paragraph):
        return _line(block.content)
    if isinstance(block, Items):
        return "\n".join(f"- {_line(item)}" for item in block.items)
    if isinstance(block, Grid):
        header = [escaped(name) for name in block.header]
        rows = [[_cell(cell) for cell in row] for row in block.rows]
        separator = ["---"] * len(header)
        return "\n".join("| " + " | ".join(row) + " |" for row in (header, separator, *rows))
    if isinstance(block, CodeBlock):
        return f"```console\n{block.text}\n```"
    if isinstance(block, Image):
        if block.file is None:
            return ""
        path = pathlib.Path(os.path.relpath(block.file, beside)).as_posix()
        return f"![{escaped(block.alternative)}](<{path}>)"
    if isinstance(block, Details):
        inner = "\n\n".join(_block(inner, beside) for inner in block.blocks)
        return f"<details><summary>{escaped(block.summary)}</summary>\n\n{inner}\n\n</details>"
    raise TypeError(f"block must be one of {Block}, got {type(block)}")


def _cell(cell: Cell) -> str:
    return "<br>".join(map(_line, cell.lines)) if isinstance(cell, Lines) else _line(cell)


def _line(line: Line) -> str:
    return "".join(map(_inline, line)) if isinstance(line, tuple) else _inline(line)


def _inline(part: Inline) -> str:
    if isinstance(part, Code):
        return f"`{part.text.replace('`', '')}`".replace("|", "\\|")
    if isinstance(part, Link):
        return f"[{escaped(part.text)}](#{part.anchor})"
    if isinstance(part, Mark):
        return f"**{escaped(part.text)}**"
    # A text between two others keeps the spaces at its ends.
    left = " " * part[:1].isspace()
    right = " " * (part[-1:].isspace() and bool(part.strip()))
    return f"{left}{escaped(part)}{right}"
