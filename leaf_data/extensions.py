"""Parts from a user's own package: named `module:name`, or by an installed entry point.

`my_package:build_mine` is the attribute `build_mine` of the module `my_package`, which must be
importable: installed, or in the folder where a program is started. An entry point gives such a
reference a name of its own.
"""

from __future__ import annotations

import ast
import collections
import functools
import hashlib
import importlib
import importlib.util
import inspect
import pathlib
import sysconfig
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import metadata
from types import MappingProxyType
from typing import Any

_CHECKSUM_DIGITS = 12
# A run records their revision.
_OWN_PACKAGES = ("experiments", "leaf_data", "tff_weights")


def is_reference(name: str) -> bool:
    """Says whether a name has the form `module:name`, with dots in either."""
    module, colon, attribute = name.partition(":")
    parts = (*module.split("."), *attribute.split("."))
    return bool(colon) and all(part.isidentifier() for part in parts)


@functools.cache  # Cached: every run's configuration asks, and all distributions are searched.
def entry_points(group: str) -> Mapping[str, str]:
    """Returns the references of a group of installed entry points by their names.

    An entry point that names a module alone has that module's name as its reference.
    """
    found: Any = metadata.entry_points()
    # Python 3.9 has a mapping here, later versions an object with a method.
    of_group = found.select(group=group) if hasattr(found, "select") else found.get(group, ())
    return MappingProxyType(
        {point.name: point.value.partition("[")[0].replace(" ", "") for point in of_group}
    )


def reference_of(name: str, group: str, *, taken: Collection[str] = ()) -> str | None:
    """Returns the reference that a name stands for.

    Args:
        name: A reference, which stands for itself, or the name of an entry point.
        group: The group of the entry point.
        taken: Names that exist here already, so that no entry point may have them.

    Returns:
        The reference; None if the name is neither.

    Raises:
        ValueError: If the entry point has a name that is taken, or names a module alone.
    """
    if is_reference(name):
        return name
    reference = entry_points(group).get(name)
    if reference is not None and (name in taken or not is_reference(reference)):
        reason = "that name is taken" if name in taken else "it must be module:name"
        raise ValueError(f"entry point {name!r} of {group} is {reference!r}: {reason}")
    return reference


def load(reference: str) -> Any:
    """Imports what a reference names.

    Args:
        reference: `module:name`.

    Raises:
        ValueError: If the module cannot be imported or has no such attribute. The message says why,
            and names the file and the line.
    """
    module_name, _, attribute = reference.partition(":")
    module = import_module(module_name)
    try:
        return functools.reduce(getattr, attribute.split("."), module)
    except AttributeError:
        raise ValueError(f"{reference!r}: the module {module_name} has no {attribute}") from None


def outline(reference: str) -> Callable[..., Any] | None:
    """Returns a function with the signature and docstring of another one, without importing that.

    Args:
        reference: `module:name` of a function.

    Returns:
        A function that does nothing. None if the source does not define the function, decorates or
        rebinds it, or if a default is not a constant of its module that is bound once.
    """
    module, _, name = reference.partition(":")
    top, *inner = module.split(".")
    try:
        folders = getattr(importlib.util.find_spec(top), "submodule_search_locations", None)
        path = pathlib.Path((folders or [""])[0], *inner)
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        parsed = ast.parse(path.read_text(encoding="utf-8"))
        statements = parsed.body
        (function,) = (
            each for each in statements if isinstance(each, ast.FunctionDef) and each.name == name
        )
    except (OSError, ValueError, SyntaxError):
        return None
    bound = collections.Counter(
        each.id if isinstance(each, ast.Name) else each.asname or each.name
        for each in ast.walk(parsed)
        if isinstance(each, ast.alias) or isinstance(getattr(each, "ctx", None), ast.Store)
        if isinstance(each, (ast.alias, ast.Name))
    )
    if function.decorator_list or bound[name]:
        return None
    constants = {
        target.id: each.value
        for each in statements
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name) and bound[target.id] == 1  # Else only a run tells.
    }

    def outlined(*_: Any, **__: Any) -> None:
        """Does nothing; it only has another function's signature."""

    try:
        parameters = list(_parameters(function.args, constants))
    except ValueError:
        return None
    outlined.__doc__ = ast.get_docstring(function) or ""
    outlined.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return outlined


def _parameters(
    arguments: ast.arguments, constants: Mapping[str, ast.expr]
) -> Iterable[inspect.Parameter]:
    """Yields the parameters of a function, their annotations as text.

    Raises:
        ValueError: If a default is not a constant of the module.
    """
    positional = [*arguments.posonlyargs, *arguments.args]
    none: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    kinds = inspect.Parameter
    for argument, default in zip(positional, [*none, *arguments.defaults]):
        yield _parameter(argument, kinds.POSITIONAL_OR_KEYWORD, default, constants)
    if arguments.vararg is not None:
        yield _parameter(arguments.vararg, kinds.VAR_POSITIONAL, None, constants)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield _parameter(argument, kinds.KEYWORD_ONLY, default, constants)
    if arguments.kwarg is not None:
        yield _parameter(arguments.kwarg, kinds.VAR_KEYWORD, None, constants)


def _parameter(
    argument: ast.arg, kind: Any, default: ast.expr | None, constants: Mapping[str, ast.expr]
) -> inspect.Parameter:
    empty = inspect.Parameter.empty
    if isinstance(default, ast.Name):
        if default.id not in constants:
            raise ValueError(f"{default.id} is no constant of the module")
        default = constants[default.id]
    return inspect.Parameter(
        argument.arg,
        kind,
        default=empty if default is None else ast.literal_eval(default),
        annotation=empty if argument.annotation is None else ast.unparse(argument.annotation),
    )


def import_module(name: str) -> Any:
    """Imports a user's module.

    Raises:
        ValueError: If it cannot be imported.
    """
    if name == "__main__":
        raise ValueError("the program itself, __main__, cannot be imported by other processes")
    try:
        return importlib.import_module(name)
    except Exception as error:  # A user's module may raise anything at its import.
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if not frame.filename.startswith("<frozen")
        ]
        where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if len(frames) > 2 else ""
        raise ValueError(
            f"{name!r} cannot be imported: {type(error).__name__}: {error}{where}"
        ) from error


def checksums(modules: Iterable[str]) -> dict[str, str | None]:
    """Returns checksums of modules' source, to notice changes.

    A checksum covers all files of the top-level package, or the file of the top-level module. It
    also covers what these import from their own folder by an import statement, and what that
    imports. It does not cover what is installed, nor this project.

    Args:
        modules: Names of modules, or references into them.

    Returns:
        By module the first digits of a SHA-256; None if there is no source.

    Raises:
        ValueError: If a module cannot be imported.
    """
    names = sorted({module.partition(":")[0] for module in modules})
    return {name: _checksum(name) for name in names}


def check_unchanged(recorded: Mapping[str, str | None]) -> None:
    """Makes sure that modules have not changed since `checksums` was called.

    Raises:
        ValueError: If one is not.
    """
    for name, checksum in checksums(recorded).items():
        if checksum != recorded[name]:
            raise ValueError(
                f"the source of {name} is another than when this was configured "
                f"({checksum} here, {recorded[name]} there)"
            )


def _checksum(name: str) -> str | None:
    import_module(name)
    top = import_module(name.partition(".")[0])
    file = getattr(top, "__file__", None)
    roots = [pathlib.Path(folder).parent for folder in getattr(top, "__path__", ())]
    if not roots and file is not None:
        roots = [pathlib.Path(file).parent]
    digest = hashlib.sha256()
    contents = [each for root in roots for each in sorted(_sources(root, top.__name__).items())]
    for path, content in contents:
        digest.update(f"{path} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:_CHECKSUM_DIGITS] if contents else None


def _sources(root: pathlib.Path, top: str) -> dict[str, bytes]:
    """The files of a top-level module, and of those that it imports from its folder, by path."""
    is_installed = str(root) in sysconfig.get_paths().values()
    found: dict[str, bytes] = {}
    seen = {*_OWN_PACKAGES} - {top}
    left = [top]
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        for path in (root / f"{name}.py", *(root / name).rglob("*.py")):
            if path.is_file():
                content = path.read_bytes()
                found[path.relative_to(root).as_posix()] = content
                left += () if is_installed else _imported(content)
    return found


@functools.lru_cache(maxsize=1024)  # Every run's configuration asks.
def _imported(source: bytes) -> frozenset[str]:
    """The top-level names that a file imports."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return frozenset()
    names = [alias.name for each in nodes if isinstance(each, ast.Import) for alias in each.names]
    names += [
        each.module
        for each in nodes
        if isinstance(each, ast.ImportFrom) and each.module and not each.level
    ]
    return frozenset(name.partition(".")[0] for name in names)
