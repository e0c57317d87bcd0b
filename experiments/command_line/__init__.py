"""What the programs share: flags read strictly, and bad input answered in one sentence."""

from __future__ import annotations

from experiments.command_line.program import bad_input_ends_the_program, exit_for_bad_input, run

__all__ = ["bad_input_ends_the_program", "exit_for_bad_input", "run"]
