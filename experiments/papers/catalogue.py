"""All papers by name, and with them all algorithms, recipes, artifacts and claims.

An algorithm may also be in a user's own package, outside all papers: see `algorithm`.
"""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Iterable, Mapping

from experiments import papers as packages
from experiments.declaration import ONLY_SCALE, SCALES, Algorithm, Artifact, Claim, Paper, Recipe
from experiments.declaration.builder import builder_around, is_builder
from leaf_data import extensions

ENTRY_POINTS = "tff_weights.papers"
ALGORITHM_ENTRY_POINTS = "tff_weights.algorithms"
ALL = "all"
_ATTRIBUTE = "PAPER"

_papers: dict[str, Paper] = {}
_modules: list[str] = []


def add(modules: Iterable[str]) -> None:
    """Adds the `PAPER`s of modules elsewhere; a paper that is known already stays as it is.

    Raises:
        ValueError: If one cannot be imported or has no `PAPER`. If two papers share a name or the
            name of an algorithm, an artifact lacks one of `SCALES`, or a recipe would change the
            runs of other papers.
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
        prefix = f"{packages.__name__}."
        own = {each.name for each in pkgutil.iter_modules(packages.__path__, prefix) if each.ispkg}
        installed = extensions.entry_points(ENTRY_POINTS).values()
        try:
            for module in (*sorted(own), *sorted({name.partition(":")[0] for name in installed})):
                _add(module)
        except ValueError:  # An incomplete catalogue must not be taken for a complete one.
            _papers.clear()
            _modules.clear()
            raise
    return _papers


def algorithms() -> Mapping[str, Algorithm]:
    """Returns all algorithms by the names of the command line."""
    return {name: found for paper in papers().values() for name, found in paper.algorithms.items()}


def algorithm(name: str) -> Algorithm:
    """Returns what is known of an algorithm.

    Args:
        name: One of `algorithms()`, an entry point of the group `tff_weights.algorithms`, or a
            user's `module:name`. That is a builder in the style of `tff_weights.algorithms`,
            an `Algorithm`, a `tff_weights.Weighting`, or a function that returns one. A weighting
            is composed with plain local SGD.

    Raises:
        ValueError: If there is no algorithm of this name, or it cannot be imported or is no
            algorithm.
    """
    return named_algorithm(name)[1]


def named_algorithm(name: str) -> tuple[str, Algorithm]:
    """Returns the name that a run's configuration has for an algorithm, and the algorithm.

    It is `name` itself. For an entry point it is `module:name`, so that the run says what it was.

    Raises:
        ValueError: As `algorithm`.
    """
    known = algorithms()
    reference = extensions.reference_of(name, ALGORITHM_ENTRY_POINTS, taken=known)
    if reference is not None:
        return reference, _own_algorithm(reference)
    if name not in known:
        names = sorted({*known, *extensions.entry_points(ALGORITHM_ENTRY_POINTS)})
        raise ValueError(
            f"algorithm must be one of {', '.join(names)}, or module:name of your own, got {name!r}"
        )
    return name, known[name]


def modules_of(name: str) -> list[str]:
    """Returns the module outside this software that has this algorithm or artifact, if any."""
    others = (
        module
        for paper, module in zip(papers().values(), _modules)
        if name in {*paper.algorithms, *(artifact.name for artifact in paper.artifacts)}
        and not module.startswith(f"{packages.__name__}.")
    )
    return [name] if extensions.is_reference(name) else list(others)


@functools.cache
def _own_algorithm(reference: str) -> Algorithm:
    found = extensions.load(reference)
    if isinstance(found, Algorithm):
        return found
    return Algorithm(found if is_builder(found) else builder_around(found, name=reference))


def recipes() -> tuple[Recipe, ...]:
    """Returns the recipes of all papers."""
    return tuple(recipe for paper in papers().values() for recipe in paper.recipes)


def artifacts() -> Mapping[str, Artifact]:
    """Returns all tables and figures by name."""
    return {artifact.name: artifact for paper in papers().values() for artifact in paper.artifacts}


def select_artifacts(names: Iterable[str]) -> tuple[Artifact, ...]:
    """Returns the artifacts that names ask for, each once.

    Args:
        names: Names of artifacts, of papers for all of their artifacts, or "all".

    Raises:
        ValueError: If one is neither.
    """
    known = artifacts()
    selected: dict[str, Artifact] = {}
    for name in names:
        found = [each for each in known if name in (ALL, each, each.partition("/")[0])]
        if not found:
            raise ValueError(
                f"--artifact must be one of {', '.join(known)}, a paper, or {ALL}, got {name!r}"
            )
        selected.update((each, known[each]) for each in found)
    return tuple(selected.values())


def claims() -> tuple[Claim, ...]:
    """Returns the claims of all papers."""
    return tuple(claim for paper in papers().values() for claim in paper.claims)


def _add(module: str) -> None:
    try:
        paper = getattr(extensions.import_module(module), _ATTRIBUTE)
    except (ValueError, AttributeError) as error:
        raise ValueError(f"papers: {module!r} is no module with a {_ATTRIBUTE}: {error}") from error
    if not isinstance(paper, Paper):
        raise ValueError(
            f"papers: the {_ATTRIBUTE} of {module!r} must be an experiments.declaration.Paper, got "
            f"{paper!r}"
        )
    if paper.name in _papers:
        raise ValueError(f"papers: {module!r} and another module are both named {paper.name!r}")
    for other in _papers.values():
        for name in other.algorithms.keys() & paper.algorithms.keys():
            raise ValueError(f"papers: {other.name!r} and {paper.name!r} both have {name!r}")
    for artifact in paper.artifacts:
        if ONLY_SCALE in artifact.scales:
            raise ValueError(
                f"papers: {artifact.name}: scales must be {', '.join(SCALES)}, got {ONLY_SCALE}, "
                "which is for comparisons"
            )
    _check_recipes(paper)
    _papers[paper.name] = paper
    _modules.append(module)


def _check_recipes(paper: Paper) -> None:
    """Checks that a new paper does not change the runs of the papers that are here."""
    others = (recipe for other in _papers.values() for recipe in other.recipes)
    taken = {dataset for recipe in others for dataset in recipe.datasets or ()}
    for recipe in paper.recipes:
        of_own_algorithms = recipe.algorithms and paper.algorithms.keys() >= set(recipe.algorithms)
        of_own_datasets = recipe.datasets and taken.isdisjoint(recipe.datasets)
        if not of_own_algorithms and not of_own_datasets:
            raise ValueError(
                f"papers: {paper.name!r} has a recipe of {', '.join(recipe.settings)} that would "
                f"change runs of other papers: algorithms must be some of "
                f"{sorted(paper.algorithms)}, got {recipe.algorithms}, or datasets some that no "
                f"other paper has recipes for, got {recipe.datasets}; a variant's settings change "
                "only its own runs"
            )
