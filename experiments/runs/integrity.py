"""Checksums of a run's tables, result and checkpoints, which find damage.

TFF's managers write a checkpoint and a table's row completely or not at all, but they do not notice
later damage. In every checkpoint lies `checksums.json`. It covers the checkpoint, both tables up to
that round, and the clients' files of that time. A finished run does not need the clients' files,
and the manifest does not cover them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
from collections.abc import Collection, Mapping
from typing import Any

from experiments.runs.files import write_atomically
from leaf_data.raw_files import sha256
from tff_weights import client_store_files

# As `tff.program.FileProgramStateManager` names checkpoints.
_PREFIX = "program_state_"
_CHECKSUMS = "checksums.json"


def write_checksums(
    path: pathlib.Path,
    covered: Mapping[pathlib.Path, str],
    growing: Collection[pathlib.Path] = (),
    *,
    below: pathlib.Path,
) -> None:
    """Writes a list of files below a folder with their SHA-256.

    Files in `growing` may be longer later.
    """
    names = {file: file.relative_to(below).as_posix() for file in covered}
    content: dict[str, Any] = {"sha256": {names[file]: each for file, each in covered.items()}}
    if growing:
        content["num_bytes"] = {names[file]: file.stat().st_size for file in growing}
    write_atomically(path, json.dumps(content, indent=2) + "\n")


def damage_of(
    path: pathlib.Path, growing: Collection[pathlib.Path] = (), *, below: pathlib.Path
) -> str | None:
    """Returns an error about a list of checksums or its files; None if nothing has changed.

    The arguments are as for `write_checksums`.
    """
    try:
        recorded = json.loads(path.read_text())
        sizes = {
            file: recorded["num_bytes"][file.relative_to(below).as_posix()] for file in growing
        }
        for name, checksum in recorded["sha256"].items():
            file = below / name
            if not file.is_file():
                return f"{name} is missing"
            content = file.read_bytes()
            size = sizes.get(file, len(content))
            if hashlib.sha256(content[:size]).hexdigest() != checksum or size > len(content):
                return f"{name} differs from its checksum"
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"{path.name} is no list of checksums"
    return None


@dataclasses.dataclass
class CheckpointChecksums:
    """The checksums of a run's checkpoints, and of all its other files at that time.

    The tables beside the checkpoints' folder only grow between two of them. No file of the clients'
    store changes once its round is done.
    """

    checkpoints: pathlib.Path
    tables: tuple[pathlib.Path, ...]
    store: pathlib.Path
    _of_store: dict[pathlib.Path, str] = dataclasses.field(default_factory=dict)

    def record(self, round_number: int) -> None:
        """Writes the checksums of the checkpoint after a round into its folder."""
        # The checksum of a client's file is computed only once.
        self._of_store = {
            path: self._of_store.get(path) or sha256(path)
            for path in client_store_files(self.store, num_rounds=round_number)
        }
        checkpoint = self.checkpoints / f"{_PREFIX}{round_number}"
        listed = checkpoint / _CHECKSUMS
        files = [path for path in sorted(checkpoint.rglob("*")) if path.is_file()]
        covered = {path: sha256(path) for path in (*files, *self.tables) if path != listed}
        covered.update(self._of_store)
        write_checksums(listed, covered, self.tables, below=self.checkpoints.parent)

    def return_to_newest_sound(self, known_damage: str | None = None) -> str | None:
        """Removes damaged checkpoints, and the tables' rows after the newest intact one.

        Without an intact checkpoint both tables are removed: the run begins again and ends with the
        same numbers. Returns a sentence if something was damaged, now or before: what, and where
        the run continues.
        """
        damages = [] if known_damage is None else [known_damage]
        numbers = [path.name.removeprefix(_PREFIX) for path in self.checkpoints.glob(f"{_PREFIX}*")]
        for number in sorted((each for each in numbers if each.isdecimal()), key=int, reverse=True):
            checkpoint = self.checkpoints / f"{_PREFIX}{number}"
            file = checkpoint / _CHECKSUMS
            # Without checksums: the program was killed before it could write them.
            if file.exists():
                damage = damage_of(file, self.tables, below=self.checkpoints.parent)
                if damage is None:
                    sizes = json.loads(file.read_text())["num_bytes"]
                    for table in self.tables:
                        os.truncate(table, sizes[table.name])
                    return _sentence(damages, f"going on after round {number}")
                damages.append(f"checkpoint {number}: {damage}")
            shutil.rmtree(checkpoint)
        for table in self.tables:
            table.unlink(missing_ok=True)
        return _sentence(damages or ["there is no checkpoint"], "beginning again")


def _sentence(damages: list[str], remedy: str) -> str | None:
    return f"{'; '.join(damages)}: {remedy}" if damages else None
