"""All programs behind one command, and what its help says."""

from __future__ import annotations

import re
import sys

_PROGRAMS = [
    "train",
    "compare",
    "reproduce",
    "report",
    "verify",
    "describe",
    "export-leaf",
    "doctor",
]


def _command(start_command, *arguments):
    return start_command(sys.executable, "-m", "experiments", *arguments).finish()


def test_alone_it_lists_the_programs_without_importing_tensorflow(start_command):
    """As a module that cannot be imported stands in for it."""
    program = "import sys; sys.modules['tensorflow'] = None; sys.argv[1:] = {!r}\n"
    program += "from experiments.__main__ import main; main()"
    for arguments in ([], ["--help"], ["help"]):
        ended = start_command(sys.executable, "-c", program.format(arguments)).finish()
        assert (ended.status, ended.errors) == (0, "")
        named = re.findall(r"^  ([a-z-]+) +[A-Z].*\.$", ended.output, re.MULTILINE)
        assert named == _PROGRAMS
        assert "Exit status: 0" in ended.output


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
    text = " ".join(ended.output.split())
    for entry in (
        "--rounds How many rounds to train. (a positive integer; default: 100)",
        "--[no]resume Go on with the run that the folder already holds. (default: no)",
        "(one of program, worker; default: program)",
        "fed_fa: Weight of the accuracy's information, in [0, 1]; alpha + beta = 1; 0.5 by ",
        "wei_avg: λ ≥ 0; 0 gives the simple mean; 1.0 by default.",
        "fed_prox: μ ≥ 0. With 0 this is FedAvg, and a warning says so; the paper's.",
    ):
        assert entry in text
    assert "verbosity" not in text  # absl's own, which --helpfull shows.


def test_a_program_behind_it_is_the_program(start_command, tmp_path):
    ended = _command(start_command, "doctor", "--colour=red")
    assert (ended.status, ended.output) == (2, "")
    assert "Unknown command line flag 'colour'" in ended.errors
