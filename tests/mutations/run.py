"""Changes the modules that decide the numbers, one place at a time, and looks whether a test fails.

    python tests/mutations/run.py

A change that no test notices must be explained in `explained.py`; any other is printed, and the
program ends with status 1. What was found is written to `build/mutations.json` after each module;
those that are not tried keep what an earlier program found.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from changes import Change, changes_of
from explained import EXPLAINED
from targets import TARGETS, forgotten
from tqdm import tqdm
from trial import PLENTY, End, Limits, changed, copy_of, run_tests

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
_RESULT = _REPOSITORY / "build" / "mutations.json"
# What is kept of a module: how many changes were tried, and which of them no test noticed.
Found = dict[str, Any]
_copy: pathlib.Path


def _take_copy(copies: Any) -> None:
    """Gives a process a copy of the repository of its own."""
    global _copy
    _copy = copies.get()


def _run_unchanged(file: str) -> End:
    return run_tests(_copy, file, PLENTY)


def _is_noticed(change: Change, module: str, limits: Mapping[str, Limits]) -> bool:
    with changed(_copy / module, change.source):
        return not all(run_tests(_copy, file, limits[file]).passed for file in TARGETS[module])


def _limits(unchanged: End) -> Limits:
    """How long a changed module's tests may take: a few times what they take."""
    return Limits(
        processor_seconds=round(3 * unchanged.processor_seconds) + 10,
        wall_seconds=10 * unchanged.wall_seconds + 30,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Changes modules, and looks whether tests fail.")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many at once")
    parser.add_argument("--only", default="", help="modules whose path has this in it")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    found: dict[str, Found] = json.loads(_RESULT.read_text()) if _RESULT.exists() else {}
    modules = [module for module in TARGETS if arguments.only in module]
    if missing := forgotten(_REPOSITORY):
        print(f"Not in targets.py: {', '.join(missing)}.")
        return 1
    unnoticed = 0
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="mutations") as folder:
        copies = context.Queue()
        for number in range(arguments.workers):
            copies.put(copy_of(_REPOSITORY, pathlib.Path(folder, str(number))))
        with context.Pool(arguments.workers, _take_copy, (copies,)) as pool:
            files = list(dict.fromkeys(file for module in modules for file in TARGETS[module]))
            unchanged = dict(zip(files, pool.imap(_run_unchanged, files)))
            for file, end in unchanged.items():
                if not end.passed:
                    print(f"Tests of {file} fail without any change:\n{end.output}")
                    return 1
            limits = {file: _limits(end) for file, end in unchanged.items()}
            for module in modules:
                found[module] = _try(pool, module, limits)
                _RESULT.parent.mkdir(exist_ok=True)
                _RESULT.write_text(json.dumps(found, indent=2) + "\n")
                for text in found[module]["unnoticed"]:
                    if (module, text) not in EXPLAINED:
                        unnoticed += 1
                        print(f"{module}: {text}")
    print(f"{unnoticed} changes are neither noticed nor explained.")
    return int(unnoticed > 0)


def _try(pool: Any, module: str, limits: Mapping[str, Limits]) -> Found:
    """Tries the changes of a module."""
    changes = changes_of((_REPOSITORY / module).read_text())
    trial = functools.partial(_is_noticed, module=module, limits=limits)
    noticed = list(tqdm(pool.imap(trial, changes), module, len(changes)))
    texts = [one.text for one, is_noticed in zip(changes, noticed) if not is_noticed]
    return {"changes": len(changes), "unnoticed": texts}


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # What TFF's modules would do at the end of a program, they would do to those of the forks.
    os._exit(status)
