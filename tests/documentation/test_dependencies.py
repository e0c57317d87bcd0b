"""Each package needs what it imports: the library alone, and the extras beside it."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys

import pytest
from documentation_pages import ROOT, requirements_of
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
_DISTRIBUTIONS = {"PIL": "pillow", "absl": "absl-py"}
_OURS = ("tff_weights", "leaf_data", "experiments")


def _canonical(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def _imported(package: str, *, deferred: bool) -> set[str]:
    """The distributions of what a package imports, at once or also where it is needed."""
    found: set[str] = set()
    for path in (ROOT / package).rglob("*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree) if deferred else tree.body:
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module)
    tops = {name.partition(".")[0] for name in found} - {*sys.stdlib_module_names, *_OURS}
    return {_canonical(_DISTRIBUTIONS.get(top, top)) for top in tops}


def _names(*extras: str) -> set[str]:
    lists = [_PROJECT["dependencies"], *(_PROJECT["optional-dependencies"][e] for e in extras)]
    return {_canonical(Requirement(text).name) for each in lists for text in each}


# Before Python 3.10 nothing says which modules are Python's own.
_needs_names = pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names")


@_needs_names
def test_the_library_needs_what_it_imports_and_nothing_else():
    assert _imported("tff_weights", deferred=False) == _names()


@_needs_names
def test_the_data_and_the_experiments_need_what_they_import():
    imported = _imported("leaf_data", deferred=True) | _imported("experiments", deferred=True)
    assert imported <= _names("data", "cluster", "experiments")


def _closure(names: set[str]) -> set[str]:
    """What is installed with these distributions on this machine."""
    found: set[str] = set()
    left = sorted(names)
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        for text in importlib.metadata.requires(name) or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                left.append(_canonical(requirement.name))
    return found


def test_the_first_part_of_the_exact_versions_is_the_library_alone():
    pinned = map(Requirement, requirements_of("The library"))
    here = [each for each in pinned if each.marker is None or each.marker.evaluate()]
    # Without those of a build, which other parts have, too.
    build = {"setuptools", "wheel"}
    assert {_canonical(each.name) for each in here} == _closure(_names()) - build
