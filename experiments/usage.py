"""What `--help` shows: a program's own flags by topic, with their values and defaults."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from absl import flags

from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.options import DATA, SEEDS, TRAINING, options
from experiments.start_up import COMMAND, EXIT_STATUS

ASKED_FOR = {"--help", "-help", "-h", "-?", "--?"}
_WIDEST = 100
_INDENT = " " * 8
# The values of a flag are shown after its description.
_ADDED_BY_ABSL = re.compile(r"^<[^>]*>: |; repeat this option to specify a list of values$")

# Options of a run describe their own values. Flags outside these topics are specific to the
# program, and come first.
_TOPICS: Mapping[str, tuple[str, ...]] = {
    DATA: ("dataset", "dataset_option", "data_dir", "prepared_dir"),
    TRAINING: ("step_budget_of", "grid"),
    SEEDS: ("seeds",),
    "Files": (
        *("output_dir", "resume", "rounds_per_checkpoint", "tensorboard"),
        *("results_dir", "fresh", "commit_results"),
    ),
    "Where it runs": ("device", "workers", "cohort_workers", "ray_address"),
    "Papers of your own": ("papers",),
}
_HYPERPARAMETERS = "Hyperparameters of the algorithms"
_HYPERPARAMETER_FLAGS = "experiments.command_line.hyperparameter_flags"


def text(description: str) -> str:
    """Returns the help of the program that runs, with the commands of its docstring as typed."""
    if sys.argv[0].startswith(f"{COMMAND} "):
        description = re.sub(
            r"python -m experiments\.(\w+)",
            lambda found: f"{COMMAND} {found[1].replace('_', '-')}",
            description,
        )
    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
    blocks = [description.strip()]
    for topic, of_topic in _by_topic().items():
        blocks += [f"{topic}:", *(_entry(flag, width) for flag in of_topic)]
    return "\n\n".join([*blocks, textwrap.fill(EXIT_STATUS, width)])


def _by_topic() -> dict[str, list[flags.Flag]]:
    values = flags.FLAGS
    by_name = {flag.name: flag for flag in values.get_key_flags_for_module(sys.argv[0])}
    topics: dict[str, list[flags.Flag]] = {"This program": []}
    of_run = options(RunConfiguration, Seeds)
    for topic, others in _TOPICS.items():
        names = [*(name for name, said in of_run.items() if said.topic == topic), *others]
        topics[topic] = [by_name.pop(name) for name in names if name in by_name]
    hyperparameters = [
        name for name in by_name if values.find_module_defining_flag(name) == _HYPERPARAMETER_FLAGS
    ]
    topics[_HYPERPARAMETERS] = [by_name.pop(name) for name in hyperparameters]
    topics["This program"] = list(by_name.values())
    return {topic: of_topic for topic, of_topic in topics.items() if of_topic}


def _entry(flag: flags.Flag, width: int) -> str:
    name = f"--[no]{flag.name}" if flag.boolean else f"--{flag.name}"
    described = _ADDED_BY_ABSL.sub("", " ".join((flag.help or "").split()))
    facts = "; ".join(_facts(flag))
    shown = f"{described} ({facts})" if facts else described
    wrapped = textwrap.fill(
        shown, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False
    )
    return f"  {name}\n{wrapped}"


def _facts(flag: flags.Flag) -> Iterator[str]:
    """The values that a flag takes, their names or range, and its default."""
    parser: Any = flag.parser
    if getattr(parser, "enum_values", None):
        yield f"one of {', '.join(parser.enum_values)}"
    elif isinstance(flag, flags.MultiFlag):
        yield "may be repeated"
    elif not flag.boolean and parser.syntactic_help:
        yield parser.syntactic_help
    default: Any = flag.default
    if default not in (None, [], ""):
        values = default if isinstance(default, list) else [default]
        shown = ("yes" if default else "no") if flag.boolean else ",".join(map(str, values))
        yield f"default: {re.sub(r'^.*/site-packages/', '.../', shown)}"
