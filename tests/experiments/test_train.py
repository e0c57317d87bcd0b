"""The program that trains, where nobody reads to its end what it says."""

from __future__ import annotations

import sys

import pytest


@pytest.mark.long
def test_a_pipe_that_is_closed_early_ends_the_program(start_command, tmp_path):
    program = start_command(
        "bash",
        "-c",
        f"set -o pipefail; {sys.executable} -m experiments.train --algorithm=fed_avg --rounds=1 "
        f"--epochs=1 --output_dir={tmp_path / 'run'} | head -n 1",
    )
    ended = program.finish()
    assert ended.status == 0
    assert ended.output.startswith("Test accuracy over 30 clients")
    assert len(ended.output.splitlines()) == 1
    assert "Traceback" not in ended.errors
