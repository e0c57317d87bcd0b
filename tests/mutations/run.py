"""Changes the modules that decide the numbers, one place at a time, and looks whether a test fails.

    python tests/mutations/run.py

A change that no test notices must be explained in `explained.py`; any other is printed, and the
program ends with status 1. What was found is written to `build/mutations.json`; modules that are
not tried keep what an earlier program found.
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
from collections.abc import Iterable, Mapping
from typing import Any

from changes import Change, changes_of
from explained import EXPLAINED
from targets import TARGETS, forgotten
from tqdm import tqdm
from trial import PLENTY_SECONDS, End, changed, copy_of, run_tests

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
_RESULT = _REPOSITORY / "build" / "mutations.json"
_COUNTS = ("changes", "noticed", "explained")
_copy: pathlib.Path


def _take_copy(copies: Any) -> None:
    """Gives a process a copy of the repository of its own."""
    global _copy
    _copy = copies.get()


def _run_unchanged(file: str) -> End:
    return run_tests(_copy, file, PLENTY_SECONDS)


def _is_noticed(trial: tuple[str, Change], limits: Mapping[str, int]) -> bool:
    module, change = trial
    with changed(_copy / module, change.source):
        return not all(run_tests(_copy, file, limits[file]).passed for file in TARGETS[module])


def _limit(unchanged: End) -> int:
    """How much processor time a changed module's tests get: a few times what they take."""
    return round(3 * unchanged.seconds) + 10


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Changes modules, and looks whether tests fail.")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many at once")
    parser.add_argument("--only", default="", help="modules whose path has this in it")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    modules = [module for module in TARGETS if arguments.only in module]
    if missing := forgotten(_REPOSITORY):
        print(f"Not in targets.py: {', '.join(missing)}.")
        return 1
    trials = [
        (module, change)
        for module in modules
        for change in changes_of((_REPOSITORY / module).read_text())
    ]
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
            limits = {file: _limit(end) for file, end in unchanged.items()}
            noticed = pool.imap(functools.partial(_is_noticed, limits=limits), trials)
            return _report(modules, tqdm(zip(trials, noticed), "changes", len(trials)))


def _report(modules: list[str], tried: Iterable[tuple[tuple[str, Change], bool]]) -> int:
    rows = {module: dict.fromkeys(_COUNTS, 0) for module in modules}
    for (module, change), is_noticed in tried:
        row = rows[module]
        row["changes"] += 1
        row["noticed"] += is_noticed
        if not is_noticed and (module, change.text) in EXPLAINED:
            row["explained"] += 1
        elif not is_noticed:
            tqdm.write(f"{module}:{change.line}: {change.text}")
    _RESULT.parent.mkdir(exist_ok=True)
    earlier = json.loads(_RESULT.read_text()) if _RESULT.exists() else {}
    _RESULT.write_text(json.dumps({**earlier, **rows}, indent=2) + "\n")
    changes, noticed, explained = (sum(row[name] for row in rows.values()) for name in _COUNTS)
    unexplained = changes - noticed - explained
    print(f"{changes} changes, {noticed} noticed, {explained} explained, {unexplained} neither.")
    return int(unexplained > 0)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # What TFF's modules would do at the end of a program, they would do to those of the forks.
    os._exit(status)
