"""The same blocks as HTML and as Markdown."""

from __future__ import annotations

import base64
import html.parser
import pathlib

import pytest

from experiments.reporting.document import (
    Code,
    CodeBlock,
    Details,
    Grid,
    Heading,
    Image,
    Items,
    Lines,
    Link,
    Mark,
    Paragraph,
    Part,
)
from experiments.reporting.html import html_page
from experiments.reporting.markdown_page import escaped, markdown_pages

_HOSTILE = '<script>alert("1")</script>" onload=\'x\' & ](javascript:x) | `x` *x* _x_'
_EVERYWHERE = [
    Heading(1, _HOSTILE, "anchor"),
    Paragraph((_HOSTILE, Code(_HOSTILE), Link(_HOSTILE, "anchor"), Mark(_HOSTILE, "good"))),
    Items([_HOSTILE]),
    Grid([_HOSTILE], [[_HOSTILE], [Lines((_HOSTILE,))], [Code(_HOSTILE)]], is_stacked=True),
    CodeBlock(_HOSTILE),
    Image(_HOSTILE, b"<svg/>", "image/svg+xml"),
    Details(_HOSTILE, [Paragraph(_HOSTILE)]),
]


class _Page(html.parser.HTMLParser):
    """What a browser finds on a page: its elements, and the text between them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


_PAGE = pathlib.Path("/results/Page.md")


def _markdown(*blocks):
    return markdown_pages(blocks, _PAGE)[_PAGE]


def test_everything_shown_is_escaped_in_html():
    page = _Page(html_page(_HOSTILE, _EVERYWHERE))
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    # Title, heading, four in the paragraph, item, four in the table, command, two in the details.
    assert page.texts.count(_HOSTILE) == 14
    assert ("alt", _HOSTILE) in page.attributes
    assert [value for name, value in page.attributes if name == "href"] == ["#anchor"]


def test_the_page_asks_for_nothing():
    page = _Page(html_page("Title", _EVERYWHERE))
    (source,) = (value for name, value in page.attributes if name == "src")
    assert source == "data:image/svg+xml;base64," + base64.b64encode(b"<svg/>").decode()
    assert not {"link", "iframe", "object"} & set(page.tags)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert ("content", policy) in page.attributes
    assert "url(" not in html_page("Title", []) and "@import" not in html_page("Title", [])


def test_the_page_fits_phones_and_the_dark():
    text = html_page("Title", [])
    assert text.startswith("<!DOCTYPE html>\n<html")
    assert ("content", "width=device-width, initial-scale=1") in _Page(text).attributes
    assert "@media (prefers-color-scheme: dark)" in text
    assert "overflow-x: auto" in text


def test_numbers_are_not_broken_into_lines():
    text = html_page("Title", [Grid(["a"], [["1.5 ± 0.2 (3.0)"], ["1 method"]])])
    assert '<td class="number" data-name="a">1.5 ± 0.2 (3.0)</td>' in text
    assert '<td data-name="a">1 method</td>' in text


def test_everything_shown_is_escaped_in_markdown():
    page = _markdown(*_EVERYWHERE[:4], _EVERYWHERE[6])
    without_code = "".join(page.split("`")[::2]) if page.count("`") % 2 == 0 else page
    assert "<script" not in without_code
    assert "](javascript" not in without_code.replace("\\](javascript", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("synthetic_1_1", "synthetic_1_1"),
        ("_x_", r"\_x\_"),
        ("a | b", r"a \| b"),
        ("2 * 3 [4]", r"2 \* 3 \[4\]"),
        ("<b> & c", "&lt;b&gt; &amp; c"),
        ("two\nlines", "two lines"),
    ],
)
def test_a_text_in_markdown(text, shown):
    assert escaped(text) == shown


def test_blocks_in_markdown():
    assert _markdown(Heading(2, "Title", "here")) == '<a id="here"></a>\n\n## Title\n'
    assert _markdown(Paragraph(("See ", Link("it", "here"), ", ", Code("a|b"), "."))) == (
        "See [it](#here), `a\\|b`.\n"
    )
    assert _markdown(Items(["a", "b"])) == "- a\n- b\n"
    assert _markdown(CodeBlock("ls")) == "```console\nls\n```\n"
    grid = Grid(["a", "b"], [["1", Lines(("2", Mark("yes", "good")))]])
    assert _markdown(grid) == "| a | b |\n| --- | --- |\n| 1 | 2<br>**yes** |\n"
    assert _markdown(Details("more", [Paragraph("text")])) == (
        "<details><summary>more</summary>\n\ntext\n\n</details>\n"
    )


def test_a_part_is_a_page_of_its_own_in_markdown_and_links_lead_from_one_to_the_other():
    file = pathlib.Path("/results/figures/a.png")
    blocks = [
        Heading(2, "Here", "here"),
        Paragraph(Link("there", "there")),
        Part(
            "toy",
            "The toy",
            [
                Heading(3, "There", "there"),
                Paragraph((Link("here", "here"), Link("there", "there"))),
                Image("what", b"", "image/png", file),
            ],
        ),
        Paragraph("after"),
    ]
    assert markdown_pages(blocks, _PAGE) == {
        _PAGE: '<a id="here"></a>\n\n## Here\n\n[there](Page_by_paper/toy.md#there)\n\nafter\n',
        pathlib.Path("/results/Page_by_paper/toy.md"): (
            '# The toy\n\n<a id="there"></a>\n\n## There\n\n[here](../Page.md#here)[there](#there)'
            "\n\n![what](<../figures/a.png>)\n"
        ),
    }


def test_a_part_stands_in_its_place_in_html():
    part = Part("toy", "The toy", [Heading(3, "There"), Paragraph("within")])
    page = _Page(html_page("Title", [Paragraph("before"), part, Paragraph("after")]))
    shown = [text for text in page.texts if text.strip()]
    assert shown[-4:] == ["before", "There", "within", "after"]


def test_what_lies_in_a_file_is_linked_to_in_markdown_and_within_an_html_page():
    details = Details("more", [Paragraph("within")], pathlib.Path("/results/a b/more.json"))
    assert _markdown(details) == "- [more](<a b/more.json>)\n"
    assert "<summary>more</summary><p>within</p>" in html_page("Title", [details])


def test_a_picture_in_markdown_is_linked_to_where_it_lies():
    image = Image("what", b"", "image/png", pathlib.Path("/results/a b/figure.png"))
    assert _markdown(image) == "![what](<a b/figure.png>)\n"
    nowhere = Image("what", b"", "image/png")
    assert _markdown(Paragraph("a"), nowhere, Paragraph("b")) == "a\n\nb\n"
