"""Runs TFF's own tests on TFF's worker and on the runtime inside the program, and compares them.

    python tests/peers/run.py DIR

DIR holds the sources of the installed version of TFF. The tests are those of all files that choose
an execution context. What they find is kept in `build/peers` and becomes a table of RELIABILITY.md.
The exit status is 1 if a test passes on the worker alone.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from xml.etree import ElementTree

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
_BUILD = _REPOSITORY / "build" / "peers"
_REPORT = _REPOSITORY / "RELIABILITY.md"
_CONTEXTS = ("worker", "program")
_MINUTES = 20

HEADING = "## TFF's own tests"
_TEXT = """What `make peer-tests` found: the tests of these folders of TFF's, in all files that
choose an execution context, on TFF's worker and on the runtime inside the program. Not counted are
tests that are skipped, and files that import what TFF's package leaves out."""


def _run(folder: pathlib.Path, files: list[pathlib.Path], sources: pathlib.Path, name: str) -> None:
    """Runs the tests of one folder in both contexts, each in a process of its own."""
    for file in files:  # Alone: the sources must not take the place of the installed package.
        shutil.copy(file, folder)
    for context in _CONTEXTS:
        environment = {
            **os.environ,
            "PYTHONPATH": f"{_REPOSITORY}{os.pathsep}{pathlib.Path(__file__).parent}",
            "TFF_SOURCES": str(sources),
            "TFF_CONTEXT": context,
        }
        result = _BUILD / context / f"{name}.xml"
        result.parent.mkdir(parents=True, exist_ok=True)
        result.unlink(missing_ok=True)
        plugins = ("-p", "tffs_tests", "-p", "no:cacheprovider")
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", *plugins, f"--rootdir={folder}"),
                *("--continue-on-collection-errors", f"--timeout={60 * _MINUTES}", "--tb=short"),
                *(f"--junitxml={result}", *(file.name for file in files)),
            ],
            cwd=folder,
            env=environment,
            check=False,
        )


def _passed(context: str, name: str) -> dict[str, bool]:
    """Which tests of a folder ran, and whether they passed."""
    file = _BUILD / context / f"{name}.xml"
    if not file.exists():  # The process has died.
        return {}
    return {
        f"{case.get('classname')}.{case.get('name')}": not {each.tag for each in case}
        & {"failure", "error"}
        for case in ElementTree.parse(file).iter("testcase")
        if case.get("classname") and case.find("skipped") is None
    }


def _report() -> tuple[str, int]:
    """The section of RELIABILITY.md, and how many tests pass on the worker alone."""
    lines = [
        "| tests of | on both | on the worker alone | here alone | on neither |",
        "| --- " * 5 + "|",
    ]
    total, alone = [0] * 4, []
    for name in sorted(file.stem for file in (_BUILD / "worker").glob("*.xml")):
        there, here = (_passed(context, name) for context in _CONTEXTS)
        ends = [(test, there.get(test), here.get(test)) for test in there | here]
        alone += [f"`{test}`" for test, on_worker, ours in ends if on_worker and not ours]
        pairs = [(bool(on_worker), bool(ours)) for _, on_worker, ours in ends]
        counts = [pairs.count(pair) for pair in itertools.product((True, False), repeat=2)]
        total = [sum(pair) for pair in zip(total, counts)]
        lines.append(f"| {' | '.join([name.replace('.', '/'), *map(str, counts)])} |")
    lines.append(f"| **all** | {' | '.join(f'{count:,}' for count in total)} |")
    parts = [HEADING, _TEXT, "\n".join(lines)]
    if alone:
        parts.append(f"On the worker alone: {', '.join(alone)}.")
    return "\n\n".join(parts) + "\n", len(alone)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs TFF's own tests in both contexts.")
    parser.add_argument("sources", type=pathlib.Path, help="a checkout of TFF's sources")
    parser.add_argument("--only", default="", help="folders whose path has this in it")
    arguments = parser.parse_args()
    sources = arguments.sources.resolve()
    python = sources / "tensorflow_federated" / "python"
    version = metadata.version("tensorflow-federated")
    about = python.parent / "version.py"
    if not about.is_file() or f"'{version}'" not in about.read_text():
        parser.error(f"{sources} must hold the sources of TFF {version}, as its tag v{version} has")
    files = [file for file in python.rglob("*_test.py") if "execution_context" in file.read_text()]
    files.sort(key=lambda file: (file.parent, file))
    for folder, tests in itertools.groupby(files, lambda file: file.parent.relative_to(python)):
        if arguments.only in str(folder):
            with tempfile.TemporaryDirectory(prefix="peers") as copies:
                _run(pathlib.Path(copies), list(tests), sources, ".".join(folder.parts))
    section, alone = _report()
    before = _REPORT.read_text().partition(f"\n{HEADING}")[0]
    _REPORT.write_text(f"{before}\n{section}")
    print(section)
    return int(alone > 0)


if __name__ == "__main__":
    sys.exit(main())
