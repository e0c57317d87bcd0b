"""All papers by name, and with them all algorithms, recipes, artifacts and claims."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from importlib import metadata

from experiments import papers as rooms
from experiments.declaration import Algorithm, Artifact, Claim, Paper, Recipe

ENTRY_POINTS = "tff_weights.papers"
ALL = "all"
_ATTRIBUTE = "PAPER"

_papers: dict[str, Paper] = {}
_modules: list[str] = []


def add(modules: Iterable[str]) -> None:
    """Adds papers that live elsewhere; one that is already there is left as it is.

    Args:
        modules: Names of modules, each with a `PAPER`.

    Raises:
        ValueError: If one cannot be imported or has no `PAPER`, or two papers share a name or the
            name of an algorithm.
    """
    papers()
    for module in modules:
        if module not in _modules:
            _add(module)


def added_modules() -> tuple[str, ...]:
    """Returns the modules of all papers, so that another process can `add` the same ones."""
    papers()
    return tuple(_modules)


def papers() -> Mapping[str, Paper]:
    """Returns all papers by name: those of this package, and those of installed entry points."""
    if not _papers:
        own = sorted(room.name for room in pkgutil.iter_modules(rooms.__path__) if room.ispkg)
        for name in own:
            _add(f"{rooms.__name__}.{name}")
        for entry_point in _entry_points():
            _add(entry_point)
    return _papers


def algorithms() -> Mapping[str, Algorithm]:
    """Returns all algorithms by the names of the command line."""
    return {name: found for paper in papers().values() for name, found in paper.algorithms.items()}


def recipes() -> tuple[Recipe, ...]:
    """Returns the recipes of all papers."""
    return tuple(recipe for paper in papers().values() for recipe in paper.recipes)


def artifacts() -> Mapping[str, Artifact]:
    """Returns all tables and figures by name."""
    return {artifact.name: artifact for paper in papers().values() for artifact in paper.artifacts}


def select_artifacts(names: Iterable[str]) -> tuple[Artifact, ...]:
    """Returns the artifacts that names ask for, each once.

    Args:
        names: Of an artifact, of a paper for all of its artifacts, or "all".

    Raises:
        ValueError: If one is neither.
    """
    known = artifacts()
    selected: dict[str, Artifact] = {}
    for name in names:
        of_name = {
            artifact.name: artifact
            for artifact in known.values()
            if name in (ALL, artifact.name, artifact.name.partition("/")[0])
        }
        if not of_name:
            raise ValueError(
                f"--artifact must be one of {', '.join(known)}, a paper, or {ALL}, got {name!r}"
            )
        selected.update(of_name)
    return tuple(selected.values())


def claims() -> tuple[Claim, ...]:
    """Returns the claims of all papers."""
    return tuple(claim for paper in papers().values() for claim in paper.claims)


def _entry_points() -> list[str]:
    found = metadata.entry_points()
    # Python 3.9 has a mapping here, later ones an object with a method.
    group = found.select(group=ENTRY_POINTS) if hasattr(found, "select") else found[ENTRY_POINTS]
    return sorted({entry_point.value.partition(":")[0] for entry_point in group})


def _add(module: str) -> None:
    try:
        paper = getattr(importlib.import_module(module), _ATTRIBUTE)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"papers: {module!r} is no module with a {_ATTRIBUTE}: {error}") from error
    if paper.name in _papers:
        raise ValueError(f"papers: {module!r} and another module are both named {paper.name!r}")
    for other in _papers.values():
        for name in other.algorithms.keys() & paper.algorithms.keys():
            raise ValueError(f"papers: {other.name!r} and {paper.name!r} both have {name!r}")
    _papers[paper.name] = paper
    _modules.append(module)
