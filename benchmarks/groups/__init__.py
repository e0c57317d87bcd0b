"""The cases by their names, `group/case`; a group is a module here, with its `CASES`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks.case import Case
from benchmarks.groups import (
    algorithms,
    build,
    builders,
    clients,
    cohort,
    evaluation,
    first_calls,
    limits,
    model,
    tff_builders,
)

ALL = "all"

GROUPS: Mapping[str, Mapping[str, Case]] = {
    module.__name__.rpartition(".")[2]: module.CASES
    for module in (
        *(builders, tff_builders, first_calls, limits, algorithms),
        *(cohort, clients, model, evaluation, build),
    )
}

CASES: dict[str, Case] = {
    f"{group}/{name}": case for group, cases in GROUPS.items() for name, case in cases.items()
}


def chosen(names: Iterable[str]) -> list[str]:
    """Returns the names of cases that names of cases and groups stand for, each once, in order.

    Args:
        names: `group/case`, `group` for all of its cases, or `all`.

    Raises:
        ValueError: If there are no names, or one is unknown.
    """
    found: list[str] = []
    for name in names:
        of_name = [case for case in CASES if name in (ALL, case) or case.startswith(f"{name}/")]
        if not of_name:
            raise ValueError(
                f"there is no case {name!r}; there are the groups {', '.join(GROUPS)}, their cases "
                f"and {ALL!r}"
            )
        found += of_name
    if not found:
        raise ValueError("no case is named")
    return list(dict.fromkeys(found))
