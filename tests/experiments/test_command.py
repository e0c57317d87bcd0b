"""All programs behind one command, and what its help says."""

from __future__ import annotations

import re
import shlex
import sys

import pytest

from experiments import start_up
from experiments.papers import catalogue

_PROGRAMS = [
    *("train", "compare", "reproduce", "report", "verify"),
    *("describe", "export", "export-leaf", "doctor"),
]


# A module that cannot be imported stands in for what takes seconds to import.
_LIGHT = """
import sys
sys.modules.update(dict.fromkeys(("tensorflow", "tensorflow_federated", "pandas", "matplotlib")))
sys.argv[1:] = {!r}
from experiments.__main__ import main
main()
"""


def _without_tensorflow(start_command, *arguments):
    return start_command(sys.executable, "-c", _LIGHT.format(list(arguments))).finish()


@pytest.mark.parametrize("arguments", [[], ["--help"], ["help"]])
def test_alone_it_lists_the_programs(start_command, arguments):
    ended = _without_tensorflow(start_command, *arguments)
    assert (ended.status, ended.errors) == (0, "")
    assert re.findall(r"^  ([a-z-]+) +[A-Z].*\.$", ended.output, re.MULTILINE) == _PROGRAMS


@pytest.mark.parametrize("program", _PROGRAMS)
def test_help_needs_no_tensorflow(start_command, program):
    ended = _without_tensorflow(start_command, program, "--help")
    assert (ended.status, ended.errors) == (0, "")
    assert "Exit status: 0" in ended.output


def test_the_version(start_command):
    ended = _without_tensorflow(start_command, "train", "--version")
    assert (ended.status, ended.output) == (0, f"{start_up.version()}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["trian", "--algorithm=fed_avg"], "no program 'trian'; did you mean train?"),
        (["doctor", "--colour=red"], "Unknown command line flag 'colour'"),
        (["train", "--output_dir=x", "--algorithm="], str(list(catalogue.algorithms())[-1])),
    ],
)
def test_bad_input_needs_no_tensorflow(start_command, arguments, sentence):
    ended = _without_tensorflow(start_command, *arguments)
    assert (ended.status, ended.output) == (2, "")
    assert sentence in ended.errors and len(ended.errors.splitlines()) == 1


def test_a_shell_completes_programs_and_flags(start_command):
    """As bash asks: the second word is a program, and what begins with `--clients_per_` a flag."""
    completion = _without_tensorflow(start_command, "--completion=bash").output
    command = f'tff-weights() {{ {shlex.quote(sys.executable)} -m experiments "$@"; }}\n'
    ask = "_tff_weights; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    script = (
        f"{command}{completion}\n"
        f"COMP_WORDS=(tff-weights desc) COMP_CWORD=1; {ask}"
        f"COMP_WORDS=(tff-weights train --clients_per_) COMP_CWORD=2; {ask}"
    )
    ended = start_command("bash", "-c", script).finish()
    assert ended.output.split() == ["describe", "--clients_per_round=", "--clients_per_evaluation="]
