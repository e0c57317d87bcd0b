"""What `make coverage` and `make mutations` left behind: tables of RELIABILITY.md."""

from __future__ import annotations

import collections
import json
import pathlib
import subprocess
import sys
from collections.abc import Iterable
from xml.etree import ElementTree

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(_REPOSITORY / "tests" / "mutations"))
from explained import EXPLAINED  # noqa: E402
from targets import TARGETS  # noqa: E402

_BUILD = _REPOSITORY / "build"
_PACKAGES = ("tff_weights", "leaf_data", "experiments")


def quality() -> str:
    """The tables as Markdown; a sentence where nothing was measured."""
    parts = [_tests(), _coverage(), _mutations()]
    return "\n".join(part for part in parts if part) or "Nothing of it was measured in this run.\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def _tests() -> str:
    """By package, how many tests ended how."""
    counts: dict[str, collections.Counter[str]] = {}
    seconds = 0.0
    for report in sorted((_BUILD / "coverage").glob("*.xml")):
        tree = ElementTree.parse(report)
        seconds += sum(float(suite.get("time", 0)) for suite in tree.iter("testsuite"))
        for case in tree.iter("testcase"):
            package = (*case.get("classname", "").split("."), "")[1]
            ends = {child.tag for child in case} & {"failure", "error", "skipped"}
            counts.setdefault(package, collections.Counter())[ends.pop() if ends else "passed"] += 1
    if not counts:
        return ""
    total = sum(counts.values(), collections.Counter())
    ends = ("passed", "failure", "error", "skipped")
    rows = [*sorted(counts.items()), ("**all**", total)]
    table = _table(("tests of", *ends), ((name, *(n[end] for end in ends)) for name, n in rows))
    return f"{table}\nThey took {seconds / 60:.1f} minutes, with the lines counted that they run.\n"


def _coverage() -> str:
    if not (_BUILD / "coverage" / "data").exists():
        return ""
    rows = []
    for package in _PACKAGES:
        command = [sys.executable, "-m", "coverage", "report", "--format=total", "--precision=1"]
        found = subprocess.run(
            [*command, f"--include={package}/*"], cwd=_REPOSITORY, capture_output=True, text=True
        )
        rows.append((package, f"{found.stdout.strip()} %"))
    return _table(("package", "lines that its tests run"), rows)


def _mutations() -> str:
    file = _BUILD / "mutations.json"
    if not file.exists():
        return ""
    by_folder: dict[str, collections.Counter[str]] = {}
    by_module = json.loads(file.read_text())
    for module, found in by_module.items():
        explained = sum((module, text) in EXPLAINED for text in found["unnoticed"])
        counts = by_folder.setdefault(str(pathlib.Path(module).parent), collections.Counter())
        counts["changes"] += found["changes"]
        counts["noticed"] += found["changes"] - len(found["unnoticed"])
        counts["explained"] += explained
        counts["neither"] += len(found["unnoticed"]) - explained
    total = sum(by_folder.values(), collections.Counter())
    rows = [*sorted(by_folder.items()), ("**all**", total)]
    columns = ("changes", "noticed", "explained", "neither")
    table = _table(
        ("changed modules of", *columns),
        ((name, *(counts[column] for column in columns)) for name, counts in rows),
    )
    missing = sorted(set(TARGETS) - set(by_module))
    return f"{table}\nNot tried: {', '.join(missing)}.\n" if missing else table
