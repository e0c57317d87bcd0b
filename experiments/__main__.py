"""All programs behind one command, `tff-weights`, or `python -m experiments`."""

from __future__ import annotations

import ast
import difflib
import os
import pathlib
import runpy
import sys
import textwrap
from typing import NoReturn

from experiments.start_up import BAD_INPUT_STATUS, COMMAND, EXIT_STATUS, version

_PROGRAMS = (
    *("train", "compare", "reproduce", "report", "verify"),
    *("describe", "export", "export-leaf", "doctor"),
)
# What a shell needs before the script of bash.
_SHELLS = {"bash": "", "zsh": "autoload -U +X bashcompinit && bashcompinit\n"}


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
        print(_completion(name.partition("=")[2]))
        return
    if name == "help":  # As `git help commit`.
        name, arguments = arguments[0], ["--help"]
    if name.replace("_", "-") not in _PROGRAMS:
        near = difflib.get_close_matches(name, _PROGRAMS, n=1)
        hint = f"; did you mean {near[0]}?" if near else f": {', '.join(_PROGRAMS)}"
        _exit(f"there is no program {name!r}{hint}")
    # A user's package is found in the current folder, as with `python -m`.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    sys.argv = [f"{COMMAND} {name}", *arguments]
    runpy.run_module(f"experiments.{name.replace('-', '_')}", run_name="__main__")


def _overview() -> str:
    """Returns each program with the first sentence of its docstring, without importing any."""
    folder = pathlib.Path(__file__).parent
    width = max(map(len, _PROGRAMS)) + 2
    lines = [f"usage: {COMMAND} PROGRAM [--flag=value ...]", ""]
    for name in _PROGRAMS:
        source = (folder / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
        sentence = (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]
        lines.append(f"  {name:<{width}}{sentence}")
    lines += [
        f"\n{COMMAND} PROGRAM --help shows its flags, --version the version, and",
        f"source <({COMMAND} --completion=bash), or zsh, completes them.\n",
        textwrap.fill(EXIT_STATUS, 100),
    ]
    return "\n".join(lines)


def _completion(shell: str) -> str:
    if shell not in _SHELLS:
        _exit(f"completion must be one of {', '.join(_SHELLS)}")
    script = pathlib.Path(__file__).with_name("completion.bash").read_text(encoding="utf-8")
    script = script.replace("PROGRAMS", " ".join(_PROGRAMS)).replace("COMMAND", COMMAND)
    return _SHELLS[shell] + script.strip()


def _exit(sentence: str) -> NoReturn:
    print(f"{COMMAND}: {sentence}", file=sys.stderr)
    sys.exit(BAD_INPUT_STATUS)


if __name__ == "__main__":
    main()
