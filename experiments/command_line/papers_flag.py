"""The flag that names papers of one's own: `--papers`."""

from __future__ import annotations

from absl import flags

from experiments.papers import catalogue

_PAPERS = flags.DEFINE_list(
    "papers",
    [],
    "Modules, each with a PAPER of one's own, whose algorithms, recipes, artifacts and claims are "
    "added to those that are here.",
)


def add_papers() -> None:
    """Adds the papers of the flag to the catalogue.

    Raises:
        ValueError: If a module cannot be imported or has no paper.
    """
    catalogue.add(_PAPERS.value)
