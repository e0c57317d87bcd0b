"""Each package needs what it imports: the library alone, and the extras beside it."""

from __future__ import annotations

import ast
import re
import sys

import pytest
from documentation_pages import ROOT
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
_DISTRIBUTIONS = {"PIL": "pillow", "absl": "absl-py", "grpc": "grpcio"}
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
@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names")
def test_each_package_needs_what_it_imports_and_the_library_nothing_else():
    assert _imported("tff_weights", deferred=False) == _names()
    imported = _imported("leaf_data", deferred=True) | _imported("experiments", deferred=True)
    assert imported <= _names("data", "cluster", "experiments")
