"""The table that RESULTS begins with, and README with it."""

from __future__ import annotations

from documentation_pages import README

from experiments.papers import catalogue
from experiments.reporting.pages import headlines


def test_readme_shows_the_table_of_the_declared_headlines():
    assert headlines(list(catalogue.papers().values())) in README.read_text()
