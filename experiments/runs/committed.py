"""Finished runs that come with the software and need not be trained again.

A run is one ZIP archive, `runs/DATA_SET/ALGORITHM-DIGEST.zip`. Python and common tools read it, and
a configuration is read without the rounds. LZMA makes runs a sixth smaller than DEFLATE. A solid
archive would be 6 % smaller, but nothing in it can be read alone. ZIP has a checksum of each
file, which finds damage. Names are sorted and times fixed: the same run gives the same bytes.
"""

from __future__ import annotations

import io
import json
import pathlib
import zipfile
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Union

import pandas as pd

from experiments.runs import run_table
from experiments.runs.configure import ResolvedRun, read_run
from experiments.runs.files import DAMAGE, write_atomically
from experiments.runs.resource_use import RunSeconds
from experiments.runs.run_directory import RunDirectory, run_name
from experiments.runs.run_table import TabledRun

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # The first time that ZIP can express.
_READABLE = 0o644 << 16


class ArchivedFile(NamedTuple):
    """One file of an archive, with the methods of a `pathlib.Path`."""

    archive: pathlib.Path
    name: str

    def read_text(self) -> str:
        """Returns what the file holds.

        Raises:
            ValueError: If the archive is damaged; the message names it.
            OSError: If it cannot be read.
        """
        content = self.archive.read_bytes()
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return archive.read(self.name).decode()
        except DAMAGE as error:
            raise ValueError(
                f"{self.archive} is damaged ({self.name}: {error}); "
                "--fresh does without what is committed"
            ) from error


class CommittedRun:
    """One finished run below a folder of results, an archive with the files of a run's directory.

    Its rounds have only the columns that artifacts read, and its seconds are `RunSeconds`.
    """

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.configuration = ArchivedFile(path, "configuration.json")
        self.environment = ArchivedFile(path, "environment.json")
        self.metrics = ArchivedFile(path, "rounds.csv")
        self.seconds = ArchivedFile(path, "seconds.json")
        self.clients = ArchivedFile(path, "clients.csv")
        self.result = ArchivedFile(path, "result.json")

    @property
    def name(self) -> str:
        """Its name, as `run_name` has it."""
        return f"{self.path.parent.name}/{self.path.name.removesuffix('.zip')}"

    def is_finished(self) -> bool:
        """Says whether the run exists and is not damaged."""
        try:
            for file in vars(self).values():
                if isinstance(file, ArchivedFile):
                    file.read_text()
        except (OSError, ValueError):
            return False
        return True

    def read_result(self) -> dict[str, Any] | None:
        """Returns what `result.json` holds, or None if there is no such run.

        Raises:
            ValueError: If the archive is damaged.
        """
        return json.loads(self.result.read_text()) if self.path.exists() else None

    def read_seconds(self) -> RunSeconds | None:
        """Returns what the run took, or None where it was not measured.

        Raises:
            ValueError: If the archive is damaged.
        """
        measured = json.loads(self.seconds.read_text())
        return RunSeconds(**measured) if measured else None


# The files of a run, on this machine or committed.
Files = Union[RunDirectory, CommittedRun, TabledRun]


def runs_dir(results_dir: pathlib.Path) -> pathlib.Path:
    """Returns the folder of the runs below a folder of results."""
    return results_dir / "runs"


def check_runs(results_dir: pathlib.Path) -> None:
    """Raises `FileNotFoundError` if a folder has no runs, as in an installed copy."""
    if not any((results_dir / each).is_dir() for each in ("runs", run_table.FOLDER)):
        raise FileNotFoundError(
            f"there are no committed runs in {results_dir}: they come with a checkout, whose "
            "folder experiments/results can be given as results_dir"
        )


def all_runs(results_dir: pathlib.Path) -> list[CommittedRun]:
    """Returns all runs of a folder of results, by name."""
    return [CommittedRun(path) for path in sorted(runs_dir(results_dir).glob("*/*.zip"))]


def is_of(files: Files, run: ResolvedRun) -> bool:
    """Says whether there are files of exactly this run, damaged or not."""
    try:
        return read_run(files.configuration.read_text()) == run
    except OSError:
        return False
    except ValueError:
        return True


def committed_run(run: ResolvedRun, results_dir: pathlib.Path) -> CommittedRun | None:
    """Returns the committed files of exactly this run, damaged or not, if there are any."""
    found = _committed(run, results_dir)
    return found if is_of(found, run) else None


def commit_run(
    directory: RunDirectory, columns: Collection[str], results_dir: pathlib.Path
) -> CommittedRun:
    """Writes a finished run, with these columns of its rounds, below a folder of results.

    The same run gives the same bytes. Existing columns stay: another artifact may read them.

    Raises:
        ValueError: If the run is not finished.
    """
    if directory.read_result() is None:
        raise ValueError(f"{directory.path} holds no finished run")
    run = _committed(directory.read_run(), results_dir)
    kept = set(columns)
    if run.is_finished():
        kept.update(pd.read_csv(io.StringIO(run.metrics.read_text()), nrows=0).columns)
    # As text: reading and writing a number might lose a digit.
    rounds = pd.read_csv(directory.metrics, dtype=str, keep_default_na=False)
    rounds = rounds[[column for column in rounds.columns if column in kept]]
    run.path.parent.mkdir(parents=True, exist_ok=True)
    seconds = directory.read_seconds()
    as_they_are = (directory.configuration, directory.environment, directory.clients)
    texts = {
        **{file.name: file.read_text() for file in (*as_they_are, directory.result)},
        run.metrics.name: rounds.to_csv(index=False, lineterminator="\n"),
        run.seconds.name: json.dumps(None if seconds is None else seconds._asdict()) + "\n",
    }
    write_atomically(run.path, _archive(texts))
    return run


def _committed(run: ResolvedRun, results_dir: pathlib.Path) -> CommittedRun:
    return CommittedRun(runs_dir(results_dir) / f"{run_name(run)}.zip")


def _archive(texts: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in sorted(texts):
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.create_system, info.external_attr = 3, _READABLE  # Unix, wherever it is written.
            archive.writestr(info, texts[name].encode(), compress_type=zipfile.ZIP_LZMA)
    return content.getvalue()
