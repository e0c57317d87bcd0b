"""Runs TFF's own tests on TFF's worker and on the runtime inside the program, and compares them.

    python tests/peers/run.py DIR

DIR holds the sources of the installed version of TFF. The tests are those of all files that choose
an execution context. What a file's tests found is kept in `build/peers`, so that the program can be
ended and started again; without that folder it begins again. All becomes a table of RELIABILITY.md.
The exit status is 1 if a test passes on the worker alone.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import multiprocessing
import os
import pathlib
import shutil
import signal
import sys
import tempfile
from importlib import metadata
from xml.etree import ElementTree

import pytest
import tensorflow_federated  # noqa: F401 (once, for all forks)

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
_BUILD = _REPOSITORY / "build" / "peers"
_REPORT = _REPOSITORY / "RELIABILITY.md"
_PYTHON = pathlib.PurePath("tensorflow_federated", "python")
_CONTEXTS = ("worker", "program")
_MINUTES = 20

HEADING = "## TFF's own tests"
_TEXT = """What `make peer-tests` found: TFF's tests, by folder, in all files that choose an
execution context, on TFF's worker and on the runtime inside the program. Not counted are
tests that are skipped, those that replace the worker's process by another, and
`tests/remote_runtime_stream_structs_test.py`: its process had 10 GB when it was ended."""
_TOO_LARGE = "remote_runtime_stream_structs_test.py"
_OF_THE_WORKER = "execution_contexts_test.py::SyncLocalCPPExecutionContextTest"


def _results(file: pathlib.PurePath) -> list[pathlib.Path]:
    """Where the results of a file of tests are kept: on the worker, and here."""
    return [_BUILD / context / file.with_suffix(".xml") for context in _CONTEXTS]


def _run(file: pathlib.PurePath, sources: pathlib.Path) -> None:
    """Runs the tests of one file in both contexts, each in a fork of this program."""
    for context, result in zip(_CONTEXTS, _results(file)):
        if result.exists():
            continue
        # Alone in its folder: the sources must not take the place of the installed package.
        with tempfile.TemporaryDirectory(prefix="peers") as folder:
            shutil.copy(sources / _PYTHON / file, folder)
            found = pathlib.Path(folder) / "found.xml"
            tests = multiprocessing.get_context("fork").Process(
                target=_test, args=(file.name, folder, context, sources, found)
            )
            tests.start()
            tests.join()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(tests.pid, signal.SIGKILL)  # TFF's worker.
            result.parent.mkdir(parents=True, exist_ok=True)
            # Without a file the process has died, and no test has passed.
            result.write_text(found.read_text() if found.exists() else "<testsuites/>")


def _test(name: str, folder: str, context: str, sources: pathlib.Path, found: pathlib.Path) -> None:
    """Never returns."""
    os.setsid()
    os.chdir(folder)
    os.environ.update(TFF_SOURCES=str(sources), TFF_CONTEXT=context)
    sys.path.insert(0, str(_REPOSITORY))
    arguments = ["-q", "--tb=short", f"--rootdir={folder}", f"--timeout={60 * _MINUTES}"]
    for plugin in ("tffs_tests", "no:cacheprovider"):
        arguments += ["-p", plugin]
    # Only classes of tests: functions of such names are helpers.
    arguments += ["-o", "python_functions=", f"--deselect={_OF_THE_WORKER}"]
    arguments += [f"--junitxml={found}", name]
    status = int(pytest.main(arguments))
    sys.stdout.flush()
    os._exit(status)


def _passed(result: pathlib.Path) -> dict[str, bool]:
    """Which tests of a file ran, and whether they passed."""
    return {
        f"{case.get('classname')}.{case.get('name')}": not {each.tag for each in case}
        & {"failure", "error"}
        for case in ElementTree.parse(result).iter("testcase")
        if case.get("classname") and case.find("skipped") is None
    }


def _report(files: list[pathlib.PurePath]) -> tuple[str, int]:
    """The section of RELIABILITY.md, and how many tests pass on the worker alone."""
    lines = [
        "| tests of | files | on both | on the worker alone | here alone | on neither |",
        "| --- " * 6 + "|",
    ]
    total, alone, without, not_run = [0] * 5, [], [], []
    for folder, inside in itertools.groupby(files, lambda file: file.parent):
        counts = [0] * 5
        for file in inside:
            if not all(result.exists() for result in _results(file)):
                not_run.append(f"`{file}`")
                continue
            there, here = map(_passed, _results(file))
            if not there | here:
                without.append(f"`{file}`")
                continue
            ends = [(test, there.get(test), here.get(test)) for test in there | here]
            alone += [f"`{test}`" for test, on_worker, ours in ends if on_worker and not ours]
            pairs = [(bool(on_worker), bool(ours)) for _, on_worker, ours in ends]
            found = [pairs.count(pair) for pair in itertools.product((True, False), repeat=2)]
            counts = [sum(pair) for pair in zip(counts, [1, *found])]
        if counts[0]:
            lines.append(f"| {' | '.join([str(folder), *map(str, counts)])} |")
        total = [sum(pair) for pair in zip(total, counts)]
    lines.append(f"| **all** | {' | '.join(f'{count:,}' for count in total)} |")
    parts = [HEADING, _TEXT, "\n".join(lines)]
    for what, found in (
        ("On the worker alone", alone),
        ("Files that need a TPU, or what TFF's package leaves out", without),
        ("Files that were not run", not_run),
    ):
        if found:
            parts.append(f"{what}: {', '.join(found)}.")
    return "\n\n".join(parts) + "\n", len(alone)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs TFF's own tests in both contexts.")
    parser.add_argument("sources", type=pathlib.Path, help="a checkout of TFF's sources")
    parser.add_argument("--only", nargs="+", default=[""], help="files with this in their path")
    arguments = parser.parse_args()
    sources = arguments.sources.resolve()
    python = sources / _PYTHON
    version = metadata.version("tensorflow-federated")
    about = python.parent / "version.py"
    if not about.is_file() or f"'{version}'" not in about.read_text():
        parser.error(f"{sources} must hold the sources of TFF {version}, as its tag v{version} has")
    files = [
        file.relative_to(python)
        for file in python.rglob("*_test.py")
        if "execution_context" in file.read_text() and file.name != _TOO_LARGE
    ]
    files.sort(key=lambda file: (file.parent, file))
    for file in files:
        if any(part in str(file) for part in arguments.only):
            _run(file, sources)
    section, alone = _report(files)
    before = _REPORT.read_text().partition(f"\n{HEADING}")[0]
    _REPORT.write_text(f"{before}\n{section}")
    print(section)
    return int(alone > 0)


if __name__ == "__main__":
    sys.exit(main())
