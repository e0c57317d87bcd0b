"""No link on a page is dead as it lies in the repository, and lists are all that there is."""

from __future__ import annotations

import pathlib
import re
import urllib.parse

from documentation_pages import DOCS, ROOT, pages

_LINK = re.compile(r"!?\[[^\]]*\]\(<?(?P<target>[^)>]+)>?\)")
_BLOCK = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
# Pages that `make docs` makes of something else, as mkdocs.yml names them.
_MADE = {
    (DOCS / page).resolve()
    for page in re.findall(r"[\w./]+\.md\b", (ROOT / "mkdocs.yml").read_text())
    if not (DOCS / page).exists()
}


def _anchors(page: pathlib.Path) -> set[str]:
    """What a link to a part of the page can name."""
    text = _BLOCK.sub("", page.read_text())
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r'<a id="([^"]+)"', text))


def test_no_link_is_dead():
    for page in pages():
        for found in _LINK.finditer(_BLOCK.sub("", page.read_text())):
            target = urllib.parse.urlsplit(found["target"])
            if target.scheme:
                continue
            file = (page.parent / target.path).resolve() if target.path else page
            assert file.exists() or file in _MADE, (page, found["target"])
            if target.fragment and file.suffix == ".md" and file not in _MADE:
                assert target.fragment in _anchors(file), (page, found["target"])
