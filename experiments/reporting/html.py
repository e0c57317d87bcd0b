"""A page as one HTML file that needs nothing but itself.

The page is a tree of elements, which the standard library writes: every text and attribute is
escaped there, and there is no other way into it.
"""

from __future__ import annotations

import base64
import pathlib
import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

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

_STYLE = (pathlib.Path(__file__).parent / "page.css").read_text()
# What is not broken into lines.
_NUMBER = re.compile(r"[-+\[]?\d[^a-z]*$")
# No script, no network: what the page could load, if anything in it asked for it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html_page(title: str, blocks: Sequence[Block]) -> str:
    """Returns the page.

    Args:
        title: What the browser shows as its name.
        blocks: What stands on it.
    """
    page = ElementTree.Element("html", lang="en")
    head = ElementTree.SubElement(page, "head")
    ElementTree.SubElement(head, "meta", charset="utf-8")
    ElementTree.SubElement(
        head, "meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY}
    )
    ElementTree.SubElement(
        head, "meta", name="viewport", content="width=device-width, initial-scale=1"
    )
    ElementTree.SubElement(head, "meta", name="color-scheme", content="light dark")
    ElementTree.SubElement(head, "title").text = title
    ElementTree.SubElement(head, "style").text = _STYLE
    main = ElementTree.SubElement(ElementTree.SubElement(page, "body"), "main")
    main.extend(_block(block) for block in _in_place(blocks))
    return "<!DOCTYPE html>\n" + ElementTree.tostring(page, "unicode", method="html") + "\n"


def _in_place(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Part):
            yield from block.blocks
        else:
            yield block


def _block(block: Block) -> ElementTree.Element:
    if isinstance(block, Heading):
        anchor = {} if block.anchor is None else {"id": block.anchor}
        return _element(f"h{block.level}", block.text, **anchor)
    if isinstance(block, Paragraph):
        return _element("p", block.content)
    if isinstance(block, Items):
        return _parent("ul", [_element("li", item) for item in block.items])
    if isinstance(block, Grid):
        return _table(block)
    if isinstance(block, CodeBlock):
        return _parent("pre", [_element("code", block.text)])
    if isinstance(block, Image):
        data = base64.b64encode(block.content).decode()
        source = f"data:{block.media_type};base64,{data}"
        image = ElementTree.Element("img", src=source, alt=block.alternative, loading="lazy")
        return _parent("figure", [image])
    if isinstance(block, Details):
        children = [_element("summary", block.summary), *map(_block, block.blocks)]
        return _parent("details", children)
    raise TypeError(f"block must be one of {Block}, got {type(block)}")


def _table(grid: Grid) -> ElementTree.Element:
    # Wider than a phone's screen, it scrolls by itself; the keyboard must reach it for that.
    name = "table stacked" if grid.is_stacked else "table"
    scroller = ElementTree.Element("div", {"class": name, "tabindex": "0"})
    table = ElementTree.SubElement(scroller, "table")
    head = ElementTree.SubElement(ElementTree.SubElement(table, "thead"), "tr")
    head.extend(_element("th", name, scope="col") for name in grid.header)
    body = ElementTree.SubElement(table, "tbody")
    for row in grid.rows:
        line = ElementTree.SubElement(body, "tr")
        for name, cell in zip(grid.header, row):
            line.append(_cell(cell))
            line[-1].set("data-name", name)
    return scroller


def _cell(cell: Cell) -> ElementTree.Element:
    if isinstance(cell, Lines):
        return _parent("td", [_element("div", line) for line in cell.lines])
    element = _element("td", cell)
    if isinstance(cell, str) and _NUMBER.match(cell):
        element.set("class", "number")
    return element


def _parent(tag: str, children: Sequence[ElementTree.Element]) -> ElementTree.Element:
    element = ElementTree.Element(tag)
    element.extend(children)
    return element


def _element(tag: str, content: Line, **attributes: str) -> ElementTree.Element:
    element = ElementTree.Element(tag, attributes)
    for part in content if isinstance(content, tuple) else (content,):
        if not isinstance(part, str):
            element.append(_inline(part))
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + part
        else:
            element.text = (element.text or "") + part
    return element


def _inline(part: Inline) -> ElementTree.Element:
    if isinstance(part, Code):
        return _element("code", part.text)
    if isinstance(part, Link):
        return _element("a", part.text, href=f"#{part.anchor}")
    assert isinstance(part, Mark)
    return _element("span", part.text, **{"class": f"mark {part.kind}"})
