"""Tables that are read off the code: a page names one as `<!-- generated: KIND NAMES -->`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import docstring_parser
from curves import curve_of

from experiments.declaration import OfAllClients, Recipe
from experiments.papers import catalogue
from leaf_data import registry

_MARK = re.compile(r"^<!-- generated: (?P<kind>\w+) (?P<names>.*?) -->$", re.MULTILINE)
# What every builder takes, described once.
_COMMON = ("model", "local_training", "inner_factory", "correct_fn", "wrap_client_work")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Puts every table of a page into its place."""
    return _MARK.sub(lambda found: _TABLES[found["kind"]](found["names"].split()), markdown)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table as Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(" ".join(c.split()) for c in line) + " |" for line in lines)


def _arguments(names: Sequence[str]) -> str:
    """The arguments of an algorithm's builder, with their defaults and what they mean."""
    (name,) = names
    build = catalogue.algorithms()[name].part("builder")
    parameters = inspect.signature(build).parameters
    described = docstring_parser.parse(inspect.getdoc(build) or "").params
    rows = [
        (f"`{argument.arg_name}`", _default(parameters[argument.arg_name].default), _text(argument))
        for argument in described
        if argument.arg_name not in _COMMON
    ]
    if not rows:
        return "None of its own."
    return table(("argument", "default", "meaning"), rows)


def _text(argument: docstring_parser.DocstringParam) -> str:
    # A bar ends a cell, in code as well.
    return (argument.description or "").replace("|", "\\|")


def _default(default: Any) -> str:
    return "needed" if default is inspect.Parameter.empty else f"`{default!r}`"


def _datasets(names: Sequence[str]) -> str:
    """The models and options of data sets."""
    return table(
        ("data set", "models", "options with their defaults"),
        (
            (f"`{name}`", ", ".join(f"`{m}`" for m in registry.models(name)), _options(name))
            for name in _chosen(names)
        ),
    )


def _options(name: str) -> str:
    options = registry.options(name)
    return ", ".join(f"`{key}={value}`" for key, value in options.items()) or "–"


def _recipes(names: Sequence[str]) -> str:
    """What the papers say of data sets: the recipes that name one of them."""
    chosen = _chosen(names)
    rows = [
        (
            ", ".join(f"`{key}={_setting(value)}`" for key, value in recipe.settings.items()),
            _code(name for name in recipe.datasets if name in chosen),
            _code(recipe.models),
            _code(recipe.algorithms),
            f"{paper.title}: {recipe.source}",
        )
        for paper in catalogue.papers().values()
        for recipe in paper.recipes
        if recipe.datasets is not None and _concerns(recipe, chosen)
    ]
    return table(("settings", "data sets", "models", "algorithms", "source"), rows)


def _concerns(recipe: Recipe, datasets: Sequence[str]) -> bool:
    return any(name in datasets for name in recipe.datasets or ())


def _setting(value: Any) -> str:
    if isinstance(value, OfAllClients):
        number = "number of clients"
        return number if value.each == 1 else f"{value.each} times the {number}"
    return str(value)


def _code(names: Iterable[str] | None) -> str:
    return "all" if names is None else ", ".join(f"`{name}`" for name in names)


def _chosen(names: Sequence[str]) -> list[str]:
    """The data sets of these names, or, of those that end in an underscore, beginning with them."""
    return [
        known
        for known in registry.names()
        if any(known == name or (name[-1] == "_" and known.startswith(name)) for name in names)
    ]


def _curve(names: Sequence[str]) -> str:
    """The picture of an algorithm beside FedAvg, where there are results of both."""
    (name,) = names
    found = curve_of(name)
    return "" if found is None else f"![{name}](../pictures/curves/{name}.png)\n\n{found[1]}"


_TABLES: Mapping[str, Any] = {
    "arguments": _arguments,
    "curve": _curve,
    "datasets": _datasets,
    "recipes": _recipes,
}
