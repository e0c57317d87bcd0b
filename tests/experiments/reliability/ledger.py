"""What was tried, how often, and what was lost: the tables of RELIABILITY.md."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import platform
import statistics
import time
from importlib import metadata

import gates

_PACKAGES = ("tensorflow", "tensorflow-federated", "ray")

_HEAD = """# Reliability

What was tried with the programs, how often, and what was lost. `make reliability` writes this file;
none of its numbers is typed in.
"""
_SECTIONS = {
    "Killed": """A program is ended at a random moment, and started again until it comes to its
end. A try is lost if the program ends in another way than documented, or leaves a process or a
temporary file. It is lost, too, if the next start names a damage. And it is lost if the final
`metrics.csv`, `clients.csv` or `result.json` differs in a byte from that of an undisturbed program.
With Ray's actors sums are formed in another order: numbers agree to 1e-5.""",
    "Damaged": """A file is changed, and the program is started again. A case is lost if
one sentence does not name the damage, or if the final files differ in a byte.""",
    "Poisoned": """One client of every cohort has examples that are no good, in each of the
algorithms. A case is lost if the model is not finite afterwards, or if the metrics do not count
that client. Where its update cannot be finite, the model must also be the one without that
client.""",
    "Disks": """In the middle of a run a disk is full, or can no longer be written. Later there is
space again, and the run goes on.""",
    "Two at once": """Two programs at the same time.""",
    "Determinism": """The same configuration, twice: what is compared are the bytes of
`metrics.csv`, `clients.csv` and `result.json`.""",
    "Load": """What is large.""",
}

_TESTS = """What `make coverage` and `make mutations` found. A change is one operator, number, name
or call in one of the modules; those that no test notices are explained, one by one, in
`tests/mutations/explained.py`."""


@dataclasses.dataclass
class Row:
    """One line of a table.

    Attributes:
        section: Its table.
        what: What was disturbed.
        how: By what.
        tried: How often.
        lost: How many of these tries lost something.
        figures: Numbers to be shown beside it, by name.
        remarks: What else there is to be said.
    """

    section: str
    what: str
    how: str
    tried: int = 0
    lost: int = 0
    figures: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    remarks: list[str] = dataclasses.field(default_factory=list)


class Ledger:
    """The rows, in the order in which they were first named, and what they took."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str], Row] = {}
        self._started = time.monotonic()

    def add(
        self,
        section: str,
        what: str,
        how: str,
        *,
        faults: list[str] | tuple[str, ...] = (),
        remark: str | None = None,
        **figures: float,
    ) -> None:
        """Adds one try; `faults` say what it lost, figures are shown with their range."""
        row = self._rows.setdefault((section, what, how), Row(section, what, how))
        row.tried += 1
        row.lost += bool(faults)
        for text in (*faults, remark):
            if text is not None and text not in row.remarks:
                row.remarks.append(text)
        for name, value in figures.items():
            row.figures.setdefault(name.replace("_", " "), []).append(value)

    def write(self, path: pathlib.Path) -> None:
        """Writes the tables as Markdown."""
        rows = list(self._rows.values())
        minutes = (time.monotonic() - self._started) / 60
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
        tried, lost = sum(row.tried for row in rows), sum(row.lost for row in rows)
        parts = [
            _HEAD,
            f"Python {platform.python_version()}, {versions}; {os.cpu_count()} cores "
            f"({platform.machine()}); {minutes:.0f} minutes.\n\n"
            f"**{tried:,} tries; {lost} lost something.**\n",
        ]
        for section, text in _SECTIONS.items():
            of_section = [row for row in rows if row.section == section]
            table = _table(of_section) if of_section else "Nothing of it was tried in this run.\n"
            parts += [f"## {section}\n", f"{text}\n", table]
        parts += ["## Tests\n", f"{_TESTS}\n", gates.quality()]
        path.write_text("\n".join(parts))


def _table(rows: list[Row]) -> str:
    lines = ["| what | how | tried | lost | |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        figures = [f"{name} {_range(values)}" for name, values in row.figures.items()]
        remarks = "; ".join([*figures, *row.remarks]).replace("|", "\\|")
        lines.append(f"| {row.what} | {row.how} | {row.tried} | {row.lost} | {remarks} |")
    return "\n".join(lines) + "\n"


def _range(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:,.4g}"
    middle = statistics.median(values)
    return f"{middle:,.3g} ({min(values):,.3g} – {max(values):,.3g})"
