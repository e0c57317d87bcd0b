"""Public docstrings of the libraries say shapes, units, errors and sources; ruff sees to Args."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pkgutil
import re
import textwrap

import leaf_data
import tff_weights
from tff_weights import runtime

# By what a parameter, a field or a function is called: in what it has to be said to be measured.
_UNITS = {
    "accuracies": r"fraction|percent",
    "angle": r"radian",
    "label_entropy": r"nats|natural logarithm",
    "seconds": r"second",
    "timeout": r"second",
}
# Those of a paper: a paper's year, or the sentence that there is none.
_HAS_A_SOURCE = re.compile(r"^(build_(?!client_work|judged|own_model|per_client)|.*_weighting$)")
_SOURCE = re.compile(r"\b(19|20)\d\d\b|eq\. \d|[Tt]able \d|section [IVX\d]|No paper|plain baseline")
_ARRAY = re.compile(r"NDArray|ArrayLike|tf\.Tensor\b")
_SHAPE = re.compile(r"\[[^\]]*\]|scalar|shape|vector")


@functools.cache
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
    names = (function.__name__, *inspect.signature(function).parameters)
    for word, unit in _UNITS.items():
        if any(word in name for name in names) and not re.search(unit, text):
            faults.append(f"no unit ({unit})")
    return faults


def test_functions_say_shapes_units_and_errors():
    functions = {name: value for name, value in _public().items() if inspect.isroutine(value)}
    assert len(functions) > 100
    faults = {name: _faults(function) for name, function in functions.items()}
    assert not {name: found for name, found in faults.items() if found}


def test_classes_say_their_fields():
    classes = {name: value for name, value in _public().items() if inspect.isclass(value)}
    assert len(classes) > 20
    unsaid = {
        f"{name}.{field}"
        for name, of_class in classes.items()
        for field in vars(of_class).get("__annotations__", {})
        if field[0] != "_"
        and not issubclass(of_class, Exception)
        and not re.search(rf"^\s+{field}: \S", inspect.getdoc(of_class) or "", re.M)
    }
    assert not unsaid


def test_what_is_a_papers_names_it():
    names = [n for n in _public() if n.startswith("tff_weights.") and _HAS_A_SOURCE.search(n[12:])]
    assert len(names) > 10
    assert not [n for n in names if not _SOURCE.search(inspect.getdoc(_public()[n]) or "")]
