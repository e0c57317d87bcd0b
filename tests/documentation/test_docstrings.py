"""Public docstrings of the libraries say shapes and errors; ruff sees to Args."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import textwrap

import leaf_data
import tff_weights
from tff_weights import runtime

_ARRAY = re.compile(r"NDArray|ArrayLike|tf\.Tensor\b")
_SHAPE = re.compile(r"\[[^\]]*\]|scalar|shape|vector")


def _public() -> dict[str, object]:
    """All public functions, classes and methods by the name under which they are known."""
    public: dict[str, object] = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in (tff_weights, runtime)
        for name in module.__all__
    }
    for info in pkgutil.walk_packages(leaf_data.__path__, f"{leaf_data.__name__}."):
        for name, value in vars(importlib.import_module(info.name)).items():
            if getattr(value, "__module__", None) == info.name and name[0] != "_":
                public[f"{info.name}.{name}"] = value
    for name, value in list(public.items()):
        if inspect.isclass(value):
            methods = {n: m for n, m in vars(value).items() if inspect.isfunction(m)}
            public.update((f"{name}.{n}", m) for n, m in methods.items() if n[0] != "_")
    return {n: v for n, v in public.items() if inspect.isroutine(v) or inspect.isclass(v)}


_PUBLIC = _public()
_FUNCTIONS = {name: value for name, value in _PUBLIC.items() if inspect.isroutine(value)}


def _raised(function: object) -> set[str]:
    """The names of the exceptions that the function's own body raises."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return {
        node.exc.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id[0].isupper()  # And no function that makes one.
    }


def _faults(function: object) -> list[str]:
    """What the docstring of a function does not say."""
    text = inspect.getdoc(function) or ""
    raises = text.partition("Raises:")[2]
    faults = [f"Raises lacks {name}" for name in _raised(function) if f"{name}:" not in raises]
    annotations = " ".join(map(str, getattr(function, "__annotations__", {}).values()))
    if _ARRAY.search(annotations) and not _SHAPE.search(text):
        faults.append(f"no shape, of {annotations}")
    return faults


def test_functions_say_shapes_and_errors():
    assert len(_FUNCTIONS) > 100
    faults = {name: _faults(function) for name, function in _FUNCTIONS.items()}
    assert not {name: found for name, found in faults.items() if found}
