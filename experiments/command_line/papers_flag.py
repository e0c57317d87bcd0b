"""The flag that names a user's papers, which `program.run` adds to the catalogue."""

from __future__ import annotations

from absl import flags

NAME = "papers"

flags.DEFINE_list(
    NAME,
    [],
    "Your own papers: modules with a PAPER each, whose algorithms, recipes, artifacts and claims "
    "are added.",
)
