"""The algorithms' own hyperparameters as flags, read off their builders.

Each hyperparameter of the papers' algorithms has a flag. All of them, also those of a user's
algorithm, can be given as `--hyperparameter=name=value`.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping
from typing import Any

from absl import flags

from experiments.command_line import settings
from experiments.declaration import Argument
from experiments.papers import catalogue

_HYPERPARAMETERS = flags.DEFINE_multi_string(
    "hyperparameter",
    [],
    "name=value: a hyperparameter of the algorithm, with a flag of its own or without; may be "
    "repeated. describe --algorithm=... lists them.",
)
_DEFINE: Mapping[type, Callable[..., Any]] = {
    bool: flags.DEFINE_bool,
    int: flags.DEFINE_integer,
    float: flags.DEFINE_float,
    str: flags.DEFINE_string,
}
_NAMED = {"True": "yes", "False": "no", "None": "nothing", "": "nothing"}
_defined: dict[str, flags.FlagHolder[Any]] = {}


def define() -> None:
    """Defines a flag for every hyperparameter in the catalogue; called last.

    A name gets no flag if another flag has it, or if algorithms use it for different kinds of
    values.
    """
    try:
        known = catalogue.algorithms()
    except ValueError:  # The program says so, when it needs the catalogue.
        return
    users: dict[str, dict[str, Argument]] = collections.defaultdict(dict)
    for user, of_user in known.items():
        for argument in of_user.hyperparameters.values():
            users[argument.name][user] = argument
    for name, by_user in users.items():
        kinds = {argument.kind for argument in by_user.values()}
        kind = kinds.pop()
        if kind is not None and not kinds and name not in flags.FLAGS:
            _defined[name] = _DEFINE[kind](name, None, _description(by_user))


def given(algorithm_name: str) -> dict[str, Any]:
    """Returns the hyperparameters of an algorithm that were given, by either kind of flag.

    Raises:
        ValueError: If one is not `name=value`, is unknown, is not of its kind, or is given twice.
    """
    known = catalogue.algorithm(algorithm_name).hyperparameters
    by_flag = {name: flag.value for name, flag in _defined.items() if flag.value is not None}
    by_name = settings.parse("hyperparameter", _HYPERPARAMETERS.value, known, owner=algorithm_name)
    for name in by_flag.keys() & by_name.keys():
        raise ValueError(f"--{name} and --hyperparameter={name}=... say the same; leave one out")
    return {**by_flag, **by_name}


def _description(by_user: Mapping[str, Argument]) -> str:
    """What the argument means to each algorithm; those with the same text share an entry."""
    users: dict[str, list[str]] = collections.defaultdict(list)
    for user, argument in by_user.items():
        text = argument.description.replace("`", "") or "See its paper."
        shown = _NAMED.get(str(argument.default), argument.default)
        by_default = f"{shown} by default" if argument.has_default else "the paper's"
        users[f"{text.rstrip('.')}; {by_default}."].append(user)
    return " ".join(f"{', '.join(names)}: {text}" for text, names in users.items())
