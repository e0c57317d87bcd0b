"""What `make coverage` and `make mutations` left behind: tables of RELIABILITY.md."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from xml.etree import ElementTree

import pandas as pd

from experiments.reporting.markdown import grid

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(_REPOSITORY / "tests" / "mutations"))
from explained import EXPLAINED  # noqa: E402
from targets import TARGETS  # noqa: E402

_BUILD = _REPOSITORY / "build"
_PACKAGES = ("tff_weights", "leaf_data", "experiments")
_TESTS = "What `make coverage` found."
_MUTATIONS = """What `make mutations` found. A change is one operator, number, name or call in a
module. Those that no test notices are explained in `tests/mutations/explained.py`."""


def sections() -> dict[str, str]:
    """The sections as Markdown, by name; empty where nothing was measured."""
    found = {"Tests": (_TESTS, _tests() + _coverage()), "Mutations": (_MUTATIONS, _mutations())}
    return {name: tables and f"{text}\n\n{tables}" for name, (text, tables) in found.items()}


def _with_sum(name: str, table: pd.DataFrame) -> str:
    table.loc["**all**"] = table.sum()
    rows = ([row, *map(str, cells)] for row, *cells in table.itertuples())
    return grid([name, *table.columns], rows) + "\n"


def _tests() -> str:
    """By package, how many tests ended how."""
    trees = [ElementTree.parse(path) for path in sorted((_BUILD / "coverage").glob("*.xml"))]
    suites = [suite for tree in trees for suite in tree.iter("testsuite")]
    ends = ("passed", "failure", "error", "skipped")
    found = [
        (
            (*case.get("classname", "").split("."), "")[1],
            next((child.tag for child in case if child.tag in ends), "passed"),
        )
        for suite in suites
        for case in suite.iter("testcase")
    ]
    if not found:
        return ""
    packages, of_cases = map(pd.Series, zip(*found))
    table = pd.crosstab(packages, of_cases).reindex(columns=list(ends), fill_value=0)
    minutes = sum(float(suite.get("time", 0)) for suite in suites) / 60
    taken = f"They took {minutes:.1f} minutes, with the lines counted that they run.\n"
    return f"{_with_sum('tests of', table)}\n{taken}\n"


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
    return grid(["package", "lines that its tests run"], rows) + "\n"


def _mutations() -> str:
    file = _BUILD / "mutations.json"
    if not file.exists():
        return ""
    by_module = json.loads(file.read_text())
    rows = []
    for module, found in by_module.items():
        unnoticed = len(found["unnoticed"])
        explained = sum((module, text) in EXPLAINED for text in found["unnoticed"])
        noticed = found["changes"] - unnoticed
        rows.append((found["changes"], noticed, explained, unnoticed - explained))
    counts = pd.DataFrame(rows, columns=["changes", "noticed", "explained", "neither"])
    by_folder = counts.groupby([str(pathlib.Path(module).parent) for module in by_module]).sum()
    table = _with_sum("changed modules of", by_folder)
    missing = sorted(set(TARGETS) - set(by_module))
    return f"{table}\nNot tried: {', '.join(missing)}.\n" if missing else table
