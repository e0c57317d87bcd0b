"""Every public name of the two libraries says what it is, and what one has to know to use it."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import textwrap
import types

import docstring_parser
import pytest

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


def _modules(package: types.ModuleType) -> list[types.ModuleType]:
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package, *(importlib.import_module(module.name) for module in found)]


def _is_looked_at(value: object) -> bool:
    return inspect.isroutine(value) or inspect.isclass(value)


def _public() -> dict[str, object]:
    """All public functions and classes by the name under which they are known."""
    public: dict[str, object] = {}
    for module in (tff_weights, runtime):
        named = {name: getattr(module, name) for name in module.__all__}
        public.update((f"{module.__name__}.{name}", value) for name, value in named.items())
    for module in _modules(leaf_data):
        public.update(
            (f"{module.__name__}.{name}", value)
            for name, value in vars(module).items()
            if getattr(value, "__module__", None) == module.__name__ and name[0] != "_"
        )
    return {name: value for name, value in public.items() if _is_looked_at(value)}


_PUBLIC = _public()
_FUNCTIONS = {name: value for name, value in _PUBLIC.items() if inspect.isroutine(value)}
_CLASSES = {name: value for name, value in _PUBLIC.items() if inspect.isclass(value)}


def _methods(of_class: type) -> dict[str, object]:
    return {
        name: value
        for name, value in vars(of_class).items()
        if inspect.isfunction(value) and (not name.startswith("_") or name == "__init__")
    }


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


def _parameters(function: object) -> list[str]:
    names = inspect.signature(function).parameters
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def _faults(function: object, text: str) -> list[str]:
    """What the docstring of a function does not say."""
    faults = []
    described = docstring_parser.parse(text, docstring_parser.DocstringStyle.GOOGLE)
    names = [param.arg_name.lstrip("*") for param in described.params]
    parameters = _parameters(function)
    if names and names != parameters:
        faults.append(f"Args are {names}, the parameters {parameters}")
    if not names and len(parameters) > 2:
        faults.append(f"no Args for {parameters}")
    for missing in _raised(function) - {raised.type_name for raised in described.raises}:
        faults.append(f"Raises lacks {missing}")
    annotations = " ".join(map(str, getattr(function, "__annotations__", {}).values()))
    if _ARRAY.search(annotations) and not _SHAPE.search(text):
        faults.append(f"no shape, of {annotations}")
    for word, unit in _UNITS.items():
        is_named = any(word in name for name in (function.__name__, *parameters))
        if is_named and not re.search(unit, text):
            faults.append(f"no unit ({unit})")
    if not all(param.description for param in described.params):
        faults.append("an argument without a word")
    return faults


def test_there_are_names_to_look_at():
    assert len(_FUNCTIONS) > 100 and len(_CLASSES) > 20


@pytest.mark.parametrize("name", _PUBLIC)
def test_it_says_what_it_is(name):
    text = _PUBLIC[name].__doc__
    assert text and not text.startswith(f"{name.rpartition('.')[2]}(")  # As a dataclass without.


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_a_function_says_its_arguments_shapes_units_and_errors(name):
    function = _FUNCTIONS[name]
    assert not _faults(function, inspect.getdoc(function) or "")


@pytest.mark.parametrize("name", _CLASSES)
def test_a_class_says_its_fields_and_each_method_its_arguments(name):
    of_class = _CLASSES[name]
    text = inspect.getdoc(of_class) or ""
    fields = [field for field in vars(of_class).get("__annotations__", {}) if field[0] != "_"]
    if issubclass(of_class, Exception):
        return
    assert not [field for field in fields if not re.search(rf"^\s+{field}: \S", text, re.M)]
    for method_name, method in _methods(of_class).items():
        of_method = inspect.getdoc(method) or ""
        is_generated = getattr(method, "__qualname__", "").startswith("__create_fn__")
        if not is_generated and inspect.getmodule(method) is not None and "lambda" not in text:
            if hasattr(of_class, "__dataclass_fields__") and method_name == "__init__":
                continue
            assert not _faults(method, of_method), method_name


@pytest.mark.parametrize("name", [n for n in _PUBLIC if _HAS_A_SOURCE.search(n.split(".")[-1])])
def test_what_is_a_papers_names_it(name):
    if name.startswith("tff_weights."):
        assert _SOURCE.search(inspect.getdoc(_PUBLIC[name]) or "")


def test_what_is_missing_is_found():
    def good(accuracies):
        """Says something of accuracies, [n] fractions."""

    def bad(accuracies, rate, seed):
        """Says nothing.

        Args:
            accuracies: Some.
            speed: A name that there is not.
        """
        raise ValueError("never said")

    assert not _faults(good, inspect.getdoc(good) or "")
    assert len(_faults(bad, inspect.getdoc(bad) or "")) == 3
