"""A run's directory: its files, who may write into it, and when it is finished."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import shutil
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from experiments.runs.configuration import RunConfiguration
from experiments.runs.files import FolderLock, write_atomically
from experiments.runs.soundness import CheckpointChecksums, checksums, first_damage

_RECORDED_PACKAGES = ("tff-weights", "tensorflow", "tensorflow-federated", "numpy")


class RunDirectoryError(ValueError):
    """The directory cannot take this run; the message says why and what to do."""


class RunDirectory:
    """The files of one run below one directory.

    `configuration.json` comes first and says whose directory this is; `manifest.json` comes last,
    has the checksums of all that a finished run leaves behind, and says that it is finished. One
    program at a time writes here.
    """

    def __init__(self, path: str | os.PathLike[str]):
        """Names the files; writes nothing."""
        self.path = pathlib.Path(path)
        self.configuration = self.path / "configuration.json"
        self.environment = self.path / "environment.json"
        self.metrics = self.path / "metrics.csv"
        self.timings = self.path / "timings.csv"
        self.clients = self.path / "clients.csv"
        self.result = self.path / "result.json"
        self.manifest = self.path / "manifest.json"
        self.checkpoints = self.path / "checkpoints"
        self.tensorboard = self.path / "tensorboard"
        self.variates = self.path / "variates"
        self.checkpoint_checksums = CheckpointChecksums(
            self.checkpoints, (self.metrics, self.timings)
        )
        self._lock: FolderLock | None = None

    def claim(
        self, configuration: RunConfiguration, *, resume: bool, data_origin: str | None = None
    ) -> str | None:
        """Makes the directory this run's, or goes on with one that already is.

        It stays locked against other programs until `release`. A run that is not finished, or of
        which something is damaged, is brought back to its newest sound checkpoint, or to its
        beginning.

        Args:
            configuration: The run's.
            resume: Whether the directory may already hold this run.
            data_origin: Which of several sources the raw data came from, to be recorded.

        Returns:
            A sentence, if something was damaged: what, and where the run goes on.

        Raises:
            RunDirectoryError: If it holds another run, or this one and `resume` is False, or
                files that are no run, or another program is writing it.
        """
        if self.configuration.exists():
            held = self._read_configuration()
            if held != configuration.to_json():
                raise RunDirectoryError(
                    f"{self.path} holds a run with another configuration "
                    f"({_first_difference(held, configuration.to_json())}); choose another "
                    "--output_dir"
                )
            if not resume:
                raise RunDirectoryError(
                    f"{self.path} already holds this run; --resume goes on with it"
                )
            self._take_lock()
            self._remove_leftovers()
            return self._return_to_sound_state()
        if self.path.exists() and any(map(self._is_foreign, self.path.iterdir())):
            raise RunDirectoryError(
                f"{self.path} is not empty and holds no run; choose another --output_dir"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        self._take_lock()
        self._remove_leftovers()
        environment = {**_environment(), "data_origin": data_origin}
        write_atomically(self.environment, json.dumps(environment, indent=2) + "\n")
        write_atomically(self.configuration, configuration.to_json())
        return None

    def release(self) -> None:
        """Lets other programs claim the directory."""
        if self._lock is not None:
            self._lock.release()

    def finish(self, result: Mapping[str, Any]) -> None:
        """Writes the result, and then what says that the run is finished and whole."""
        write_atomically(self.result, json.dumps(result, indent=2) + "\n")
        covered = (self.configuration, self.metrics, self.timings, self.clients, self.result)
        manifest = {"sha256": checksums(covered, below=self.path)}
        write_atomically(self.manifest, json.dumps(manifest, indent=2) + "\n")

    def is_finished(self) -> bool:
        """Says whether the run is finished, and all that it left behind is as it was."""
        return self.manifest.exists() and self._damage() is None

    def read_result(self) -> dict[str, Any] | None:
        """Returns what `result.json` holds, or None while the run is not finished.

        Raises:
            RunDirectoryError: If a file of the finished run is damaged or missing.
        """
        if not self.manifest.exists():
            return None
        damage = self._damage()
        if damage is not None:
            raise RunDirectoryError(
                f"{self.path}: {damage}; the same run with --resume makes it again"
            )
        return json.loads(self.result.read_text())

    def _damage(self) -> str | None:
        """What is wrong with the files of a finished run, None if they are as they were."""
        try:
            expected = json.loads(self.manifest.read_text())["sha256"].items()
        except (ValueError, KeyError, TypeError, AttributeError):
            return f"{self.manifest.name} is no list of checksums"
        return first_damage(dict(expected), below=self.path)

    def _return_to_sound_state(self) -> str | None:
        damage = self._damage() if self.manifest.exists() else None
        if damage is None and self.manifest.exists():
            return None
        self.manifest.unlink(missing_ok=True)
        self.result.unlink(missing_ok=True)
        sentence = self.checkpoint_checksums.return_to_newest_sound()
        if damage is not None and sentence is None:
            sentence = f"{damage}: going on from its last checkpoint"
        return None if sentence is None else f"{self.path}: {sentence}"

    def _read_configuration(self) -> str:
        try:
            held = self.configuration.read_text()
            RunConfiguration.from_json(held)
        except ValueError as error:
            raise RunDirectoryError(
                f"{self.configuration} is damaged ({error}): nobody can tell whose run this is; "
                "choose another --output_dir, or remove this one"
            ) from error
        return held

    def _take_lock(self) -> None:
        try:
            self._lock = FolderLock(self.path)
        except BlockingIOError as error:
            raise RunDirectoryError(
                f"another program is writing {self.path}; wait for it, or choose another "
                "--output_dir"
            ) from error

    def _is_foreign(self, path: pathlib.Path) -> bool:
        """Says whether a file is none of those that `claim` leaves if it is killed half-way."""
        names = (self.environment.name, self.configuration.name)
        return path != self.environment and not path.name.startswith(
            tuple(f".{name}." for name in names)
        )

    def _remove_leftovers(self) -> None:
        """Removes what a program that was killed was still writing under temporary names."""
        for pattern in (".*.json.*", ".*.csv.*", "*.csv_temp*", "checkpoints/.*.json.*"):
            for leftover in self.path.glob(pattern):
                leftover.unlink()
        for leftover in self.checkpoints.glob("*_temp*"):
            shutil.rmtree(leftover)


def _environment() -> dict[str, Any]:
    """Returns what may change the numbers from one machine to another."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu_count": os.cpu_count(),
        **{package: _version(package) for package in _RECORDED_PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # Run from a checkout that is not installed.
        return None


def _first_difference(held: str, wanted: str) -> str:
    held_fields, wanted_fields = json.loads(held), json.loads(wanted)
    for name in sorted({*held_fields, *wanted_fields}):
        if held_fields.get(name) != wanted_fields.get(name):
            return f"{name}: {held_fields.get(name)!r} there, {wanted_fields.get(name)!r} here"
    return "another format"
