"""What SECURITY.md says about the source: nothing in it turns data into code."""

from __future__ import annotations

import ast
import pathlib

_REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
_PACKAGES = ("tff_weights", "leaf_data", "experiments", "benchmarks")
_MODULES = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml"}
_FUNCTIONS = {"eval", "exec", "compile", "__import__"}
_METHODS = {"extract", "extractall", "load_model", "read_pickle", "system", "popen"}
_FILES = [path for package in _PACKAGES for path in sorted((_REPOSITORY / package).rglob("*.py"))]


def _unsafe(source: str) -> list[str]:
    """What of a source may run what it reads."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name.split(".")[0] in _MODULES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _MODULES:
            found.append(node.module)
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id in _FUNCTIONS:
                found.append(function.id)
            elif isinstance(function, ast.Attribute) and function.attr in _METHODS:
                found.append(function.attr)
            found += [
                f"{keyword.arg}=True"
                for keyword in node.keywords
                if keyword.arg in ("allow_pickle", "shell")
                and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
            ]
    return found


def test_no_data_becomes_code():
    assert len(_FILES) > 150
    found = {str(path.relative_to(_REPOSITORY)): _unsafe(path.read_text()) for path in _FILES}
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_the_search_finds_what_it_looks_for():
    for source in ("import pickle", "archive.extractall()", "run(command, shell=True)"):
        assert _unsafe(source)
