"""The tables on the pages of results: each is what the committed runs give."""

from __future__ import annotations

import collections
import re

import pytest
from documentation_pages import DOCS

from experiments.papers import catalogue
from experiments.reporting.finished import RunFolders
from experiments.reporting.page_tables import names_on, with_tables, without_tables

_PAGES = sorted((DOCS / "results").glob("*.md"))
_DECLARED = {table.name for paper in catalogue.papers().values() for table in paper.page_tables}


def test_every_declared_table_has_one_place():
    places = collections.Counter(name for page in _PAGES for name in names_on(page.read_text()))
    assert len(_DECLARED) > 20
    assert places == dict.fromkeys(_DECLARED, 1)


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_no_table_is_typed_by_hand(page):
    assert not re.findall(r"^\|.*", without_tables(page.read_text()), re.MULTILINE)


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_the_tables_are_what_the_committed_runs_give(page):
    """If not, `python -m experiments.report --pages=docs/results` writes them."""
    text = page.read_text()
    assert with_tables(text, catalogue.papers().values(), RunFolders(()).find) == text
