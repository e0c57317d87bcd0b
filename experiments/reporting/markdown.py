"""Texts and tables as Markdown."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable

# Characters with a meaning in Markdown or HTML. An underscore within a word is only an underscore.
_SPECIAL = re.compile(r"[\\`*|\[\]]|(?<!\w)_|_(?!\w)")


def escaped(text: str) -> str:
    """Returns a text that shows as it is, on one line."""
    text = html.escape(text, quote=False)
    return _SPECIAL.sub(lambda match: "\\" + match[0], " ".join(text.split()))


def grid(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Returns a table whose cells are Markdown."""
    names = list(header)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def aligned(page: str) -> str:
    """Returns a page with tables for a terminal: columns of equal width, without bars."""
    lines: list[str] = []
    for is_table, block in itertools.groupby(page.splitlines(), lambda line: line[:1] == "|"):
        if not is_table:
            lines += block
            continue
        rows = [line.strip("| ").split(" | ") for line in block]
        widths = [max(map(len, each)) for each in itertools.zip_longest(*rows, fillvalue="")]
        for row in rows:
            padded = (c.ljust(w, "-" if c == "---" else " ") for c, w in zip(row, widths))
            lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def anchor(name: str) -> str:
    """Returns the anchor by which links find the heading of this name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())
