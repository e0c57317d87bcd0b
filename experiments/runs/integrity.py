"""Checksums of a run's tables, result and checkpoints: what is damaged is never taken for whole.

TFF's managers write a checkpoint and a table's row whole or not at all, but they cannot tell what
has become of either since. Beside every checkpoint lies `checksums_ROUND.json`. It covers the
checkpoint, both tables up to that round, and what the clients had kept for themselves by then. A
finished run does not need the clients' files, and the manifest does not cover them.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from experiments.runs.files import write_atomically
from tff_weights import control_variates_at

# As `tff.program.FileProgramStateManager` names them.
_CHECKPOINT_PREFIX = "program_state_"
_CHECKSUMS_PREFIX = "checksums_"


def checksums(paths: Iterable[pathlib.Path], *, below: pathlib.Path) -> dict[str, str]:
    """Returns the SHA-256 of files, in hexadecimal, by their paths below a folder."""
    return {path.relative_to(below).as_posix(): _sha256(path.read_bytes()) for path in paths}


def first_damage(expected: Mapping[str, str], *, below: pathlib.Path) -> str | None:
    """Returns what is wrong with the first file that differs from its checksum, or None."""
    for name, checksum in expected.items():
        try:
            content = (below / name).read_bytes()
        except FileNotFoundError:
            return f"{name} is missing"
        if _sha256(content) != checksum:
            return f"{name} differs from its checksum"
    return None


def write_manifest(manifest: pathlib.Path, covered: Iterable[pathlib.Path]) -> None:
    """Writes the checksums of files in the manifest's folder or below."""
    content = {"sha256": checksums(covered, below=manifest.parent)}
    write_atomically(manifest, json.dumps(content, indent=2) + "\n")


def damage_of(manifest: pathlib.Path) -> str | None:
    """Returns what is wrong with the files of a manifest, None if they are as they were."""
    try:
        expected = dict(json.loads(manifest.read_text())["sha256"].items())
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"{manifest.name} is no list of checksums"
    return first_damage(expected, below=manifest.parent)


class CheckpointChecksums:
    """The checksums of the checkpoints in one folder, and of all else as it was then."""

    def __init__(
        self, checkpoints: pathlib.Path, tables: Iterable[pathlib.Path], variates: pathlib.Path
    ):
        """Names the files; writes nothing.

        Args:
            checkpoints: The folder of a `tff.program.FileProgramStateManager`.
            tables: Files that only grow between two checkpoints.
            variates: The folder of a `ControlVariates`; no file changes once its round is done.
        """
        self._checkpoints = checkpoints
        self._tables = {table.name: table for table in tables}
        self._variates = variates
        self._of_variates: dict[str, str] = {}

    def record(self, round_number: int) -> None:
        """Writes the checksums of the checkpoint after a round, and forgets those removed since."""
        checkpoint = self._checkpoint(round_number)
        files = sorted(path for path in checkpoint.rglob("*") if path.is_file())
        tables = {name: table.read_bytes() for name, table in self._tables.items()}
        content = {
            "checkpoint": checksums(files, below=checkpoint),
            "tables": {
                name: {"num_bytes": len(text), "sha256": _sha256(text)}
                for name, text in tables.items()
            },
            "variates": self._checksums_of_variates(round_number),
        }
        write_atomically(self._file(round_number), json.dumps(content, indent=2) + "\n")
        for other in self._rounds(_CHECKSUMS_PREFIX, suffix=".json"):
            if not self._checkpoint(other).exists():
                self._file(other).unlink()

    def return_to_newest_sound(self, known_damage: str | None = None) -> str | None:
        """Removes damaged checkpoints, and from the tables what came after the newest sound one.

        Without any sound checkpoint both tables are removed: the run begins again, and ends with
        the same numbers.

        Returns:
            A sentence, if something was damaged, here or before: what, and where the run goes on.
        """
        damages = [] if known_damage is None else [known_damage]
        for round_number in sorted(self._rounds(_CHECKPOINT_PREFIX), reverse=True):
            recorded = self._read(round_number)
            damage = None if recorded is None else self._damage(round_number, recorded)
            if recorded is not None and damage is None:
                for name, prefix in recorded["tables"].items():
                    os.truncate(self._tables[name], prefix["num_bytes"])
                return _sentence(damages, f"going on after round {round_number}")
            if damage is not None:
                damages.append(damage)
            # Without checksums: the program was killed before it could write them.
            shutil.rmtree(self._checkpoint(round_number))
            self._file(round_number).unlink(missing_ok=True)
        for table in self._tables.values():
            table.unlink(missing_ok=True)
        return _sentence(damages, "beginning again")

    def _checksums_of_variates(self, round_number: int) -> dict[str, str]:
        """Returns those of what clients had written until then; computes none a second time."""
        known, self._of_variates = self._of_variates, {}
        for path in control_variates_at(self._variates, num_rounds=round_number):
            name = path.relative_to(self._variates).as_posix()
            self._of_variates[name] = known.get(name) or _sha256(path.read_bytes())
        return self._of_variates

    def _damage(self, round_number: int, recorded: Mapping[str, Any]) -> str | None:
        if not recorded:
            return f"{self._file(round_number).name} is no list of checksums"
        checkpoint = self._checkpoint(round_number)
        if damage := first_damage(recorded["checkpoint"], below=checkpoint):
            return f"{checkpoint.name}/{damage}"
        if damage := first_damage(recorded["variates"], below=self._variates):
            return f"{checkpoint.name} needs {self._variates.name}/{damage}"
        for name, prefix in recorded["tables"].items():
            table = self._tables[name]
            if not table.exists():
                return f"{name} is missing"
            if _sha256(table.read_bytes()[: prefix["num_bytes"]]) != prefix["sha256"]:
                return f"{name} differs from its checksum after round {round_number}"
        return None

    def _read(self, round_number: int) -> dict[str, Any] | None:
        """Returns what was recorded, nothing where it cannot be read, None if there is no file."""
        file = self._file(round_number)
        if not file.exists():
            return None
        try:
            recorded = json.loads(file.read_text())
            well_formed = all(
                name in self._tables and isinstance(prefix["num_bytes"], int) and prefix["sha256"]
                for name, prefix in recorded["tables"].items()
            ) and all(isinstance(recorded[part], dict) for part in ("checkpoint", "variates"))
        except (ValueError, KeyError, TypeError, AttributeError):
            return {}
        return recorded if well_formed else {}

    def _rounds(self, prefix: str, suffix: str = "") -> list[int]:
        names = [path.name for path in self._checkpoints.glob(f"{prefix}*{suffix}")]
        numbers = [name[len(prefix) : len(name) - len(suffix)] for name in names]
        return [int(number) for number in numbers if number.isdecimal()]

    def _checkpoint(self, round_number: int) -> pathlib.Path:
        return self._checkpoints / f"{_CHECKPOINT_PREFIX}{round_number}"

    def _file(self, round_number: int) -> pathlib.Path:
        return self._checkpoints / f"{_CHECKSUMS_PREFIX}{round_number}.json"


def _sentence(damages: list[str], remedy: str) -> str | None:
    return f"{'; '.join(damages)}: {remedy}" if damages else None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
