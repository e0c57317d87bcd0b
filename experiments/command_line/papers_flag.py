"""The flag that names papers of one's own, which `program.run` adds to the catalogue."""

from __future__ import annotations

from absl import flags

NAME = "papers"

flags.DEFINE_list(
    NAME,
    [],
    "Modules, each with a PAPER of one's own, whose algorithms, recipes, artifacts and claims are "
    "added to those that are here.",
)
