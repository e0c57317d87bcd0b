"""All programs behind one command, and what its help says."""

from __future__ import annotations

import re
import shlex
import sys

import pytest

from experiments.papers import catalogue

_PROGRAMS = [
    "train",
    "compare",
    "reproduce",
    "report",
    "verify",
    "describe",
    "export",
    "export-leaf",
    "doctor",
]


def _command(start_command, *arguments):
    return start_command(sys.executable, "-m", "experiments", *arguments).finish()


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
    named = re.findall(r"^  ([a-z-]+) +[A-Z].*\.$", ended.output, re.MULTILINE)
    assert named == _PROGRAMS


@pytest.mark.parametrize("program", _PROGRAMS)
def test_help_needs_no_tensorflow(start_command, program):
    ended = _without_tensorflow(start_command, program, "--help")
    assert (ended.status, ended.errors) == (0, "")
    assert "Exit status: 0" in ended.output


@pytest.mark.parametrize("arguments", [["--version"], ["train", "--version"]])
def test_the_version(start_command, arguments):
    ended = _without_tensorflow(start_command, *arguments)
    assert ended.status == 0
    assert ended.output.startswith("tff-weights")


@pytest.mark.parametrize("name", ["", "fed_average"])
def test_an_algorithm_that_there_is_not_lists_those_that_there_are(start_command, name):
    ended = _without_tensorflow(
        start_command, "train", f"--algorithm={name}", "--output_dir=never_made"
    )
    assert (ended.status, ended.output) == (2, "")
    assert all(known in ended.errors for known in catalogue.algorithms())


def test_a_shell_completes_programs_and_flags(start_command):
    """As bash asks: the second word is a program, and what begins with `--clients_per_` a flag."""
    completion = _command(start_command, "--completion=bash").output
    command = f'tff-weights() {{ {shlex.quote(sys.executable)} -m experiments "$@"; }}\n'
    ask = "_tff_weights; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    script = (
        f"{command}{completion}\n"
        f"COMP_WORDS=(tff-weights desc) COMP_CWORD=1; {ask}"
        f"COMP_WORDS=(tff-weights train --clients_per_) COMP_CWORD=2; {ask}"
    )
    ended = start_command("bash", "-c", script).finish()
    assert ended.output.split() == ["describe", "--clients_per_round=", "--clients_per_evaluation="]


def test_a_program_that_there_is_not_is_a_sentence_and_status_2(start_command):
    ended = _command(start_command, "trian", "--algorithm=fed_avg")
    assert (ended.status, ended.output) == (2, "")
    assert ended.errors == "tff-weights: there is no program 'trian'; did you mean train?\n"


def test_help_is_grouped_by_topic_with_defaults_and_ranges(start_command):
    ended = _command(start_command, "train", "--help")
    assert (ended.status, ended.errors) == (0, "")
    assert "\n    tff-weights train --algorithm=fed_fa" in ended.output
    topics = re.findall(r"^([A-Z][a-z ]+):$", ended.output, re.MULTILINE)
    assert topics == [
        "This program",
        "Data and model",
        "Rounds and local training",
        "Seeds",
        "Files",
        "Where it runs",
        "Papers of your own",
        "Hyperparameters of the algorithms",
    ]
    for name in ("rounds", "resume", "device", "alpha", "proximal_strength", "data_seed"):
        assert re.search(rf"^  --(\[no\])?{name}$", ended.output, re.MULTILINE)


def test_a_program_behind_it_is_the_program(start_command, tmp_path):
    ended = _command(start_command, "doctor", "--colour=red")
    assert (ended.status, ended.output) == (2, "")
    assert "Unknown command line flag 'colour'" in ended.errors
