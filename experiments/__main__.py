"""All programs behind one command, `tff-weights`, or `python -m experiments`.

Exit status: 0 when all is well, 1 when something that was begun failed, 2 for bad input, which is
answered in one sentence, and 130 after Ctrl-C. Results go to standard output, progress and what is
wrong to standard error.
"""

from __future__ import annotations

import ast
import difflib
import os
import pathlib
import runpy
import sys
from typing import NoReturn

from experiments import completion
from experiments.start_up import COMMAND, version

_BAD_INPUT_STATUS = 2
_PROGRAMS = (
    "train",
    "compare",
    "reproduce",
    "report",
    "verify",
    "describe",
    "export",
    "export-leaf",
    "doctor",
)


def main() -> None:
    """Runs the program that the first argument names with the others, or lists all programs."""
    name, *arguments = sys.argv[1:] or ["--help"]
    if name in ("--help", "-h", "help") and not arguments:
        print(_overview())
        return
    if name == "--version":
        print(version())
        return
    if name.startswith("--completion="):
        print(completion.script(name.partition("=")[2], _PROGRAMS))
        return
    if name == "help":  # As `git help commit`.
        name, arguments = arguments[0], ["--help"]
    if name.replace("_", "-") not in _PROGRAMS:
        _exit_for_bad_name(name)
    # As `python -m` does, so that a package of one's own is found in the folder where one is.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    sys.argv = [f"{COMMAND} {name}", *arguments]
    runpy.run_module(_module(name), run_name="__main__")


def _module(name: str) -> str:
    return f"experiments.{name.replace('-', '_')}"


def _overview() -> str:
    """Each program with the first sentence of its docstring; none is imported."""
    folder = pathlib.Path(__file__).parent
    width = max(map(len, _PROGRAMS)) + 2
    lines = [f"usage: {COMMAND} PROGRAM [--flag=value ...]", ""]
    for name in _PROGRAMS:
        source = (folder / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
        sentence = (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]
        lines.append(f"  {name:<{width}}{sentence}")
    lines += [
        "",
        f"{COMMAND} PROGRAM --help shows its flags, --version the version, and",
        f"source <({COMMAND} --completion=bash), or zsh, completes them.",
        "",
        *_notes(),
    ]
    return "\n".join(lines)


def _notes() -> list[str]:
    return (__doc__ or "").split("\n\n", 1)[1].strip().splitlines()


def _exit_for_bad_name(name: str) -> NoReturn:
    near = difflib.get_close_matches(name, _PROGRAMS, n=1)
    hint = f"; did you mean {near[0]}?" if near else f": {', '.join(_PROGRAMS)}"
    print(f"{COMMAND}: there is no program {name!r}{hint}", file=sys.stderr)
    sys.exit(_BAD_INPUT_STATUS)


if __name__ == "__main__":
    main()
