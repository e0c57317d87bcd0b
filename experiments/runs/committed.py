"""Finished runs that travel with the software, so that nobody has to train them again."""

from __future__ import annotations

import json
import lzma
import pathlib
from collections.abc import Collection
from typing import Any

import pandas as pd

from experiments.runs.configuration import RunConfiguration
from experiments.runs.files import write_atomically, write_bytes_atomically
from experiments.runs.run_directory import RunDirectory, run_name
from experiments.runs.soundness import Manifest

RESULTS_DIR = pathlib.Path(__file__).resolve().parents[1] / "results"


class CommittedRun:
    """The files of one finished run below a folder of results; its tables are compressed.

    Attributes:
        path: The run's folder.
        configuration: What was run.
        environment: On what.
        metrics: Every round, and those columns that artifacts read.
        timings: The seconds of every round.
        clients: The final accuracy of every client.
        result: The evaluation after the last round.
        manifest: The checksums of all of them; written last.
    """

    def __init__(self, path: pathlib.Path):
        """Names the files; writes nothing."""
        self.path = path
        self.configuration = path / "configuration.json"
        self.environment = path / "environment.json"
        self.metrics = path / "rounds.csv.xz"
        self.timings = path / "seconds.csv.xz"
        self.clients = path / "clients.csv.xz"
        self.result = path / "result.json"
        self.manifest = Manifest(path / "manifest.json")

    def is_finished(self) -> bool:
        """Says whether there is such a run, and all of it is as it was."""
        return self.manifest.exists() and self.manifest.damage() is None

    def read_result(self) -> dict[str, Any] | None:
        """Returns what `result.json` holds, or None if there is no such run.

        Raises:
            ValueError: If a file is damaged or missing.
        """
        if not self.manifest.exists():
            return None
        damage = self.manifest.damage()
        if damage is not None:
            raise ValueError(f"{self.path}: {damage}; --fresh does without what is committed")
        return json.loads(self.result.read_text())

    def columns(self) -> set[str]:
        """Returns the columns of its rounds; none where there is no such run, or a damaged one."""
        if not self.is_finished():
            return set()
        return set(pd.read_csv(self.metrics, nrows=0).columns)


def runs_dir(results_dir: pathlib.Path = RESULTS_DIR) -> pathlib.Path:
    """Returns the folder of the runs below a folder of results."""
    return results_dir / "runs"


def committed_run(
    configuration: RunConfiguration, results_dir: pathlib.Path = RESULTS_DIR
) -> CommittedRun | None:
    """Returns the committed run of exactly this configuration, if there is one."""
    run = CommittedRun(runs_dir(results_dir) / run_name(configuration))
    try:
        is_of_it = run.configuration.read_text() == configuration.to_json()
    except (OSError, UnicodeDecodeError):  # Missing or damaged: nobody can tell whose run it is.
        return None
    return run if is_of_it and run.manifest.exists() else None


def commit_run(
    directory: RunDirectory, columns: Collection[str], results_dir: pathlib.Path = RESULTS_DIR
) -> CommittedRun:
    """Writes a finished run below a folder of results: the same run, the same bytes.

    Columns that are already there stay, since another artifact may read them.

    Args:
        directory: The run.
        columns: Which columns of its rounds are kept.
        results_dir: The folder of results.

    Raises:
        ValueError: If the run is not finished.
    """
    if directory.read_result() is None:
        raise ValueError(f"{directory.path} holds no finished run")
    configuration = RunConfiguration.from_json(directory.configuration.read_text())
    run = CommittedRun(runs_dir(results_dir) / run_name(configuration))
    kept = {*columns, *run.columns()}
    run.path.mkdir(parents=True, exist_ok=True)
    # As text: a number that is read and written again might lose a digit.
    rounds = pd.read_csv(directory.metrics, dtype=str, keep_default_na=False)
    rounds = rounds[[column for column in rounds.columns if column in kept]]
    _write_compressed(run.metrics, rounds.to_csv(index=False, lineterminator="\n"))
    _write_compressed(run.timings, directory.timings.read_text())
    _write_compressed(run.clients, directory.clients.read_text())
    write_atomically(run.environment, directory.environment.read_text())
    write_atomically(run.configuration, directory.configuration.read_text())
    write_atomically(run.result, directory.result.read_text())
    tables = (run.metrics, run.timings, run.clients)
    run.manifest.write((run.configuration, run.environment, run.result, *tables))
    return run


def _write_compressed(path: pathlib.Path, text: str) -> None:
    # XZ holds no name and no time, unlike gzip.
    write_bytes_atomically(path, lzma.compress(text.encode(), preset=9))
