"""The site that `make docs` has built: whole, and readable without a network."""

from __future__ import annotations

import html.parser
import pathlib
import re
import shutil
import subprocess
import urllib.parse

import pytest
from documentation_pages import ROOT

_SITE = ROOT / "build" / "site"
# Tags with what they load from elsewhere by themselves.
_LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
_NOT_LOADED = {"canonical", "prev", "next", "alternate"}


class _Page(html.parser.HTMLParser):
    """What a page links to, loads, and can be linked to at."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.formulas = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(filter(None, (given.get("id"), given.get("name"))))
        self.formulas += tag == "math"
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        target = given.get(_LOADED.get(tag, ""))
        if target and given.get("rel") not in _NOT_LOADED:
            self.loaded.append(target)


@pytest.fixture(scope="module")
def site() -> pathlib.Path:
    if not (_SITE / "index.html").exists():
        pytest.skip("make test-docs builds the site first")
    return _SITE


@pytest.fixture(scope="module")
def pages(site) -> dict[pathlib.Path, _Page]:
    return {path: _Page(path.read_text()) for path in site.rglob("*.html")}


def _is_elsewhere(target: str) -> bool:
    return bool(urllib.parse.urlsplit(target).scheme or target.startswith("//"))


def test_nothing_is_loaded_from_a_network(site, pages):
    for path, page in pages.items():
        for target in page.loaded:
            assert not _is_elsewhere(target), (path, target)
    for sheet in site.rglob("*.css"):
        text = sheet.read_text()
        assert "url(http" not in text and "url(//" not in text and "@import" not in text, sheet


def test_no_link_is_dead(pages, site):
    num_links = 0
    for path, page in pages.items():
        for target in page.links + page.loaded:
            if _is_elsewhere(target) or path.name == "404.html":
                continue
            address = urllib.parse.urlsplit(target)
            file = (path.parent / urllib.parse.unquote(address.path)) if address.path else path
            assert file.exists(), (path, target)
            anchor = urllib.parse.unquote(address.fragment)
            if anchor and file.suffix == ".html":
                assert anchor in pages[file.resolve()].anchors, (path, target)
            num_links += 1
    assert num_links > 1000


def test_formulas_tables_and_figures_are_those_of_the_code(site, pages):
    """A page per algorithm, and no formula or table is left as it was written."""
    for path, page in pages.items():
        text = path.read_text()
        assert "arithmatex" not in text and "generated:" not in text, path
        if path.parent == site / "algorithms":
            assert page.formulas >= 1, path
    assert "momentum_every_rounds" in (site / "algorithms/fed_fa.html").read_text()
    assert "fedfa/table2" in (site / "artifacts.html").read_text()
    assert "num_clients=30" in (site / "datasets/synthetic.html").read_text()
    for name in ("fed_avg_against_fed_fa", "weighting_from_scratch", "fed_adp_angles"):
        assert (site / "notebooks" / f"{name}.html").exists()
        (picture,) = (site / "notebooks" / f"{name}_pictures").glob("*.png")
        assert picture.stat().st_size > 10_000


def test_search_works_from_the_folder_in_a_browser(site, tmp_path):
    """Opened as a file, without a server, the search finds FEMNIST on several pages."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs Chromium on the path")
    page = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            f"--user-data-dir={tmp_path}",
            "--virtual-time-budget=30000",
            "--dump-dom",
            f"file://{site}/index.html?q=FEMNIST",
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    ).stdout
    found = re.search(r"(\d+) matching documents", page)
    assert found is not None and int(found[1]) > 1
