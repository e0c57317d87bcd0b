"""What was tried, how often, and what was lost: the tables of RELIABILITY.md."""

from __future__ import annotations

import collections
import os
import pathlib
import platform
import re
import statistics
from collections.abc import Sequence
from importlib import metadata

import gates

from experiments.reporting.markdown import grid

_PACKAGES = ("tensorflow", "tensorflow-federated", "ray")

_HEAD = """# Reliability

What was tried with the programs, how often, and what was lost. `make reliability` writes this file;
none of its numbers is typed in. Tests that are run alone replace their section; the others stay.
A figure is a median, with the smallest and the largest value in brackets.
"""
_SECTIONS = {
    "Killed": """A program is ended at a random moment, and started again until it comes to its
end. A try is lost if the program ends in another way than documented, or leaves a process or a
temporary file. It is lost, too, if the next start names a damage. And it is lost if the final
`metrics.csv`, `clients.csv` or `result.json` differs in a byte from that of an undisturbed program.
With Ray's actors sums are formed in another order: numbers agree to 1e-5.""",
    "Damaged": """A file is changed, and the program is started again. A case is lost if
one sentence does not name the damage, or if the final files differ in a byte.""",
    "Poisoned": """One client of every cohort has examples that are no good, in each algorithm but
DRFA, whose server draws who trains, and clients that train alone. A case is lost if the model is
not finite afterwards, or if the metrics do not count that client. Where its update cannot be
finite, the model must also be the one without that client.""",
    "Disks": """In the middle of a run a disk is full, or can no longer be written. Later there is
space again, and the run goes on.""",
    "Two at once": """Two programs at the same time.""",
    "Determinism": """The same configuration, twice: what is compared are the bytes of
`metrics.csv`, `clients.csv` and `result.json`.""",
    "Load": """What is large.""",
}

# The faults of one try, what else there is to say of it, and its figures by name.
_Try = tuple[Sequence[str], str, dict[str, float]]


class Ledger:
    """The tries by section, what was disturbed and by what, in the order of the first ones."""

    def __init__(self) -> None:
        self._tries: dict[tuple[str, str, str], list[_Try]] = collections.defaultdict(list)
        self.faults: list[str] = []

    def add(
        self,
        section: str,
        what: str,
        how: str,
        *,
        faults: Sequence[str] = (),
        remark: str = "",
        **figures: float,
    ) -> None:
        """Adds one try; `faults` say what it lost, figures are shown with their range."""
        self._tries[section, what, how].append((faults, remark, figures))
        self.faults += [f"{what}, {how}: {fault}" for fault in faults]

    def write(self, path: pathlib.Path) -> None:
        """Writes the tables as Markdown; what was not tried or measured stays as it is there."""
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
        machine = f"{os.cpu_count()} cores ({platform.machine()})"
        before = re.split("^## (.+)\n", path.read_text() if path.exists() else "", flags=re.M)
        kept = dict(zip(before[1::2], before[2::2]))
        found = {**self._sections(), **gates.sections()}
        target = {"Tests": "coverage", "Mutations": "mutations"}.get
        not_run = "`make {}` was not run for this version."
        texts = {
            name: found.get(name) or kept.get(name, not_run.format(target(name, "reliability")))
            for name in {**found, **kept}
        }
        parts = [
            f"{_HEAD}\nPython {platform.python_version()}, {versions}; {machine}.",
            *(f"## {name}\n\n{text.strip()}" for name, text in texts.items()),
        ]
        path.write_text("\n\n".join(parts) + "\n")

    def _sections(self) -> dict[str, str]:
        """The sections by name; empty where nothing was tried."""
        found = dict.fromkeys(_SECTIONS, "")
        for section, text in _SECTIONS.items():
            of_section = {key: tries for key, tries in self._tries.items() if key[0] == section}
            lost = [bool(faults) for tries in of_section.values() for faults, *_ in tries]
            if lost:
                rows = [_row(*key[1:], tries) for key, tries in of_section.items()]
                said = f"{text}\n\n**{len(lost):,} tries; {sum(lost)} lost something.**\n\n"
                found[section] = said + grid(["what", "how", "tried", "lost", ""], rows)
        return found


def _row(what: str, how: str, tries: list[_Try]) -> list[str]:
    figures: dict[str, list[float]] = collections.defaultdict(list)
    for *_, of_try in tries:
        for name, value in of_try.items():
            figures[name.replace("_", " ")].append(value)
    remarks = dict.fromkeys(text for faults, remark, _ in tries for text in (*faults, remark))
    shown = [*(f"{name} {_range(values)}" for name, values in figures.items()), *remarks]
    lost = sum(bool(faults) for faults, *_ in tries)
    said = "; ".join(filter(None, shown)).replace("|", "\\|")
    return [what, how, str(len(tries)), str(lost), said]


def _range(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:,.4g}"
    return f"{statistics.median(values):,.3g} ({min(values):,.3g} – {max(values):,.3g})"
