"""Turns the formulas of a page into MathML: browsers draw it without a script and a network."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

# What the Markdown extension `arithmatex` leaves of `$...$` and of `$$...$$`.
_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<tex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)


def on_page_content(content: str, **_: Any) -> str:
    """Replaces every formula of a page."""
    return _FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    display = "inline" if found["tag"] == "span" else "block"
    return str(convert(html.unescape(found["tex"]), display=display))
