"""A run's directory: its files, who may write into it, and when it is finished."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from experiments.runs.configuration import RunConfiguration

_RECORDED_PACKAGES = ("tff-weights", "tensorflow", "tensorflow-federated", "numpy")
# Longer than a process of Ray outlives its program that was killed.
_LOCK_TIMEOUT_SECONDS = 60.0
_SECONDS_BETWEEN_TRIES = 0.1


class RunDirectoryError(ValueError):
    """The directory cannot take this run; the message says why and what to do."""


class RunDirectory:
    """The files of one run below one directory.

    `configuration.json` comes first and says whose directory this is; `result.json` comes last
    and says that the run is finished. Both appear whole or not at all.
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
        self.checkpoints = self.path / "checkpoints"
        self.tensorboard = self.path / "tensorboard"
        self.variates = self.path / "variates"

    def claim(
        self, configuration: RunConfiguration, *, resume: bool, data_origin: str | None = None
    ) -> None:
        """Makes the directory this run's, or goes on with one that already is.

        Args:
            configuration: The run's.
            resume: Whether the directory may already hold this run.
            data_origin: Which of several sources the raw data came from, to be recorded.

        Raises:
            RunDirectoryError: If it holds another run, or this one and `resume` is False, or
                files that are no run.
        """
        if self.configuration.exists():
            held = self.configuration.read_text()
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
            self._remove_leftovers()
            for table in (self.metrics, self.timings):
                _cut_to_whole_lines(table)
        elif self.path.exists() and any(map(self._is_foreign, self.path.iterdir())):
            raise RunDirectoryError(
                f"{self.path} is not empty and holds no run; choose another --output_dir"
            )
        else:
            self.path.mkdir(parents=True, exist_ok=True)
            self._remove_leftovers()
            environment = {**_environment(), "data_origin": data_origin}
            write_atomically(self.environment, json.dumps(environment, indent=2) + "\n")
            write_atomically(self.configuration, configuration.to_json())

    def read_result(self) -> dict[str, Any] | None:
        """Returns what `result.json` holds, or None while the run is not finished."""
        return json.loads(self.result.read_text()) if self.result.exists() else None

    @contextlib.contextmanager
    def locked(self, *, timeout_seconds: float = _LOCK_TIMEOUT_SECONDS) -> Iterator[None]:
        """Keeps other programs of this machine out that ask for the same, also if this is killed.

        Args:
            timeout_seconds: How long to wait for another one.

        Raises:
            RunDirectoryError: If another one is in it all that time.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            deadline = time.monotonic() + timeout_seconds
            while not _try_to_lock(descriptor):
                if time.monotonic() >= deadline:
                    raise RunDirectoryError(f"{self.path} is being written by another program")
                time.sleep(_SECONDS_BETWEEN_TRIES)
            yield
        finally:
            os.close(descriptor)

    def _is_foreign(self, path: pathlib.Path) -> bool:
        """Says whether a file is none of those that `claim` leaves if it is killed half-way."""
        names = (self.environment.name, self.configuration.name)
        return path != self.environment and not path.name.startswith(
            tuple(f".{name}." for name in names)
        )

    def _remove_leftovers(self) -> None:
        """Removes what a program that was killed was still writing under temporary names."""
        for pattern in (".*.json.*", ".*.csv.*", "*.csv_temp*"):
            for leftover in self.path.glob(pattern):
                leftover.unlink()
        for leftover in self.checkpoints.glob("*_temp*"):
            shutil.rmtree(leftover)


def run_name(configuration: RunConfiguration) -> str:
    """Returns the name that a configuration, and no other, has: `data set/algorithm-digest`."""
    digest = hashlib.sha256(configuration.to_json().encode()).hexdigest()[:12]
    return f"{configuration.dataset}/{configuration.algorithm}-{digest}"


def run_directory(runs_dir: pathlib.Path, configuration: RunConfiguration) -> RunDirectory:
    """Returns the directory that a configuration, and no other, has in a folder of runs."""
    return RunDirectory(runs_dir / run_name(configuration))


def write_atomically(path: pathlib.Path, text: str) -> None:
    """Writes a text so that its file is there whole or not at all."""
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: pathlib.Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        # mkstemp makes files private; results are as readable as the user's other files.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _cut_to_whole_lines(table: pathlib.Path) -> None:
    """Takes away the row that a program which was killed was still appending."""
    if table.exists():
        with table.open(newline="") as file:
            text = file.read()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            write_atomically(table, whole)


def _try_to_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
