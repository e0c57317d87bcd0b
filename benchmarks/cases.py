"""All cases by their names, `group/case`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks import comparisons, durations, sweeps
from benchmarks.case import Case

ALL = "all"

GROUPS: Mapping[str, Mapping[str, Case]] = {
    "builders": dict(comparisons.builders()),
    "limits": dict(comparisons.limits()),
    "algorithms": dict(comparisons.algorithms()),
    "cohort": dict(sweeps.cohort()),
    "clients": dict(sweeps.clients()),
    "model": dict(sweeps.model()),
    "evaluation": dict(durations.evaluation()),
    "build": dict(durations.build()),
}

CASES: dict[str, Case] = {
    f"{group}/{name}": case for group, cases in GROUPS.items() for name, case in cases.items()
}

DIMENSIONS: Mapping[str, str] = {
    "cohort": "clients in the cohort",
    "clients": "clients in all",
    "model": "parameters of the model",
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
