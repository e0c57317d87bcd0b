"""The table that RESULTS begins with, and README with it."""

from __future__ import annotations

import re

from documentation_pages import README, ROOT

from experiments.papers import catalogue
from experiments.reporting.markdown_page import markdown_text
from experiments.reporting.summary import headlines

_WORDS_PER_MINUTE = 240
_PAPERS = {"FedAdp", "FedCav", "FedFa", "FedVeca", "WeiAvg"}


def _table() -> str:
    return markdown_text(headlines(catalogue.papers().values())).strip()


def test_readme_shows_the_table_of_the_declared_headlines():
    assert _table() in README.read_text()


def test_results_begin_with_it():
    assert _table() in (ROOT / "RESULTS.md").read_text().partition("How many claims hold")[0]


def test_every_paper_has_its_row():
    titles = {paper.title for paper in catalogue.papers().values() if paper.headline is not None}
    assert titles == _PAPERS


def test_it_is_read_in_two_minutes():
    words = [word for word in _table().split() if re.search(r"\w", word)]
    assert 100 < len(words) <= 2 * _WORDS_PER_MINUTE
