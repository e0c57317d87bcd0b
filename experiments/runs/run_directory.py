"""A run's directory: its files, who may write into it, and when it is finished."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
from collections.abc import Mapping
from typing import Any

from experiments.declaration.algorithm import TURNS
from experiments.runs.configuration import IN_LAST_ROUNDS, RunConfiguration
from experiments.runs.configure import ResolvedRun, read_run
from experiments.runs.environment import environment, read_environment
from experiments.runs.files import FolderLock, write_atomically
from experiments.runs.integrity import CheckpointChecksums, damage_of, write_checksums
from experiments.runs.resource_use import RunSeconds
from leaf_data.raw_files import sha256

_FINGERPRINT = "data_fingerprint"
_LEFTOVERS = (".*.json.*", ".*.csv.*", "*.csv_temp*", "models/.*")


class RunDirectoryError(ValueError):
    """The directory cannot be used for this run; the message says why and what to do."""


class RunDirectory:
    """The files of one run below one directory.

    `configuration.json` is written first and identifies the run. `manifest.json` is written last:
    it has the checksums of all numbers of the finished run, and its presence means that the run is
    finished. `environment.json` says where the run was begun, and on which data. It affects no
    number and has no checksum. One program at a time writes here.
    """

    def __init__(self, path: str | os.PathLike[str]):
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
        self.models = self.path / "models"
        self.checkpoint_checksums = CheckpointChecksums(
            self.checkpoints, (self.metrics, self.timings), self.variates
        )
        self._lock: FolderLock | None = None

    def lengthening(self, run: ResolvedRun) -> ResolvedRun:
        """Returns a run that says at which rounds the directory's was lengthened."""
        given = run.configuration
        if run.algorithm.cohorts != TURNS or not self.configuration.exists():
            return run
        held = self.read_run()
        is_another = given.lengthened_at not in (None, held.configuration.lengthened_at)
        if is_another or given.rounds < held.configuration.rounds:
            return run
        if given.rounds > held.configuration.rounds:
            held = _lengthened(held, given.rounds)
        return run.with_settings(lengthened_at=held.configuration.lengthened_at)

    def claim(
        self,
        run: ResolvedRun,
        *,
        resume: bool,
        data_origin: str | None = None,
        data_fingerprint: str | None = None,
        lock_timeout_seconds: float = 0.0,
    ) -> str | None:
        """Takes the directory for this run, or continues with one that is this run's already.

        It stays locked against other programs until `release`. An unfinished or damaged run goes
        back to its newest intact checkpoint, or to its beginning.

        Args:
            run: What to run.
            resume: Whether the directory may already hold this run, finished or not, or the same
                run with fewer rounds, which is then continued.
            data_origin: The source of the raw data, to be recorded.
            data_fingerprint: What is the same for the same data alone, to be recorded and compared.
            lock_timeout_seconds: How long to wait for another program that writes here.

        Returns:
            A sentence if something was damaged: what, and where the run continues.

        Raises:
            RunDirectoryError: If it holds another run, or files that are no run, or this run while
                `resume` is False, or this run on other data; or if another program is writing to
                it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = FolderLock(self.path, timeout_seconds=lock_timeout_seconds)
        except BlockingIOError as error:
            raise RunDirectoryError(
                f"another program is writing {self.path}; wait for it, or choose another "
                "--output_dir"
            ) from error
        try:
            if self.configuration.exists():
                return self._go_on(run, data_fingerprint, resume=resume)
            data = {"data_origin": data_origin, _FINGERPRINT: data_fingerprint}
            self._begin(run.configuration, data)
        except BaseException:
            self.release()
            raise
        return None

    def _go_on(self, run: ResolvedRun, fingerprint: str | None, *, resume: bool) -> str | None:
        held, rounds = self.read_run(), run.configuration.rounds
        held_rounds = held.configuration.rounds
        is_longer = rounds > held_rounds and run == _lengthened(held, rounds)
        if held != run and not is_longer:
            here, there = vars(run.configuration), vars(held.configuration)
            name = next(name for name in here if here[name] != there[name])
            raise RunDirectoryError(
                f"{self.path} holds a run with another configuration ({name}: {there[name]!r} "
                f"there, {here[name]!r} here); choose another --output_dir"
            )
        if is_longer and run.configuration.step_remainder == IN_LAST_ROUNDS:
            raise RunDirectoryError(
                f"{self.path} holds {held_rounds} rounds of this run, and with step_remainder="
                f"{IN_LAST_ROUNDS} they are not the first of {rounds}; choose another --output_dir"
            )
        if not resume:
            raise RunDirectoryError(
                f"{self.path} already holds this run"
                f"{f' of {held_rounds} rounds' if is_longer else ''}; --resume goes on with it"
            )
        # Older runs have not recorded it.
        if read_environment(self.environment).get(_FINGERPRINT) not in (None, fingerprint):
            raise RunDirectoryError(
                f"{self.path} holds this run on other data, which have changed since it was begun; "
                "restore them, or choose another --output_dir"
            )
        self._remove_leftovers()
        has_manifest = self.manifest.exists()
        damage = self._damage() if has_manifest else None
        sentence = None
        if is_longer or not has_manifest or damage is not None:
            self.manifest.unlink(missing_ok=True)
            self.result.unlink(missing_ok=True)
            sentence = self.checkpoint_checksums.return_to_newest_sound(damage)
        if is_longer:
            write_atomically(self.configuration, run.configuration.to_json())
        return None if sentence is None else f"{self.path}: {sentence}"

    def _begin(self, configuration: RunConfiguration, data: Mapping[str, Any]) -> None:
        # Without the files that `claim` leaves if it is killed.
        leftovers = (self.environment.name, f".{self.environment.name}.", ".configuration.json.")
        if not all(path.name.startswith(leftovers) for path in self.path.iterdir()):
            raise RunDirectoryError(
                f"{self.path} is not empty and holds no run; choose another --output_dir"
            )
        self._remove_leftovers()
        write_atomically(self.environment, json.dumps({**environment(), **data}, indent=2) + "\n")
        write_atomically(self.configuration, configuration.to_json())

    def release(self) -> None:
        """Lets other programs claim the directory."""
        if self._lock is not None:
            self._lock.release()

    def finish(self, result: Mapping[str, Any]) -> None:
        """Writes the result, and then the manifest."""
        write_atomically(self.result, json.dumps(result, indent=2) + "\n")
        files = (self.configuration, self.metrics, self.timings, self.clients, self.result)
        write_checksums(self.manifest, {file: sha256(file) for file in files}, below=self.path)

    def is_finished(self) -> bool:
        """Says whether the run is finished and not damaged."""
        return self.manifest.exists() and self._damage() is None

    def _damage(self) -> str | None:
        return damage_of(self.manifest, below=self.path)

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

    def read_seconds(self) -> RunSeconds | None:
        """Returns the seconds of the run so far, as `RunSeconds.of_rounds`."""
        return RunSeconds.of_rounds(self.timings.read_text())

    def read_run(self) -> ResolvedRun:
        """Returns whose directory this is.

        Raises:
            RunDirectoryError: If the file is damaged, or names something that is not there.
            OSError: If there is none.
        """
        try:
            return read_run(self.configuration.read_text())
        except ValueError as error:
            raise RunDirectoryError(
                f"{self.configuration} cannot be read ({error}): it does not say whose run this "
                "is; choose another --output_dir, or remove this one"
            ) from error

    def _remove_leftovers(self) -> None:
        """Removes temporary files of a program that was killed."""
        for pattern in _LEFTOVERS:
            for leftover in self.path.glob(pattern):
                leftover.unlink()
        for leftover in self.checkpoints.glob("*_temp*"):
            shutil.rmtree(leftover)


def run_name(run: ResolvedRun) -> str:
    """Returns the unique name of a run: `data set/algorithm-digest`.

    A colon, as in `module:name`, becomes a dot, since colons separate paths in lists.
    """
    digest = hashlib.sha256(run.identity.encode()).hexdigest()[:12]
    configuration = run.configuration
    return f"{configuration.dataset}/{configuration.algorithm}-{digest}".replace(":", ".")


def run_directory(runs_dir: pathlib.Path, run: ResolvedRun) -> RunDirectory:
    """Returns the unique directory of a run in a folder of runs."""
    return RunDirectory(runs_dir / run_name(run))


def _lengthened(run: ResolvedRun, rounds: int) -> ResolvedRun:
    """Returns a run with more rounds, whose first ones are the same."""
    lengthened_at = run.configuration.lengthened_at
    if run.algorithm.cohorts == TURNS:
        # The number of rounds decides whose turn it is in the first ones.
        ends = (*run.configuration.lengthened_after, run.configuration.rounds)
        lengthened_at = ",".join(map(str, ends))
    return run.with_settings(rounds=rounds, lengthened_at=lengthened_at)
