"""Finished runs that are a row of a table, where thousands come with the software.

`tuned_runs/DATA_SET.csv.xz`, below a folder of results, has a row for each: its name, what a
reader wants to know of its configuration, its last evaluation, the average of every evaluation, and
what it cost. pandas reads it as it is. It has no clients and no other rounds. A configuration is
not read from it, but a row is found by a configuration's name.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import lzma
import pathlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from experiments.runs.configure import ResolvedRun
from experiments.runs.environment import read_environment
from experiments.runs.files import write_atomically
from experiments.runs.resource_use import RunSeconds
from experiments.runs.run_directory import RunDirectory, run_name

DECIMALS = 6
FOLDER = "tuned_runs"
_AVERAGE = "evaluation/test_average"
_RESULT = (
    *("test_loss", "test_average", "test_worst_20", "test_best_20", "test_variance"),
    *("test_weighted_average", "model_never_changed"),
)
_BYTES = ("bytes_down_per_client", "bytes_up_per_client")
# Of the environment, and how it is read. Rows of earlier versions lack some.
_MADE_WITH: Mapping[str, Callable[[str], Any]] = {
    **{"data_origin": str, "processor": str},
    **{"intra_op_threads": int, "one_dnn": "True".__eq__},
}


class _Text(NamedTuple):
    """A text that is read as a file is."""

    text: str

    def read_text(self) -> str:
        return self.text


class TabledRun:
    """A finished run that is a row of a table, with as much as that of a run's files."""

    def __init__(self, table: pathlib.Path, run: ResolvedRun, row: Mapping[str, str]):
        self.path = table
        self.name = run_name(run)
        self.row = row
        rounds = [f"round,{_AVERAGE},{','.join(_BYTES)}"]
        for each in row["averages"].split():
            number, _, average = each.partition(":")
            rounds.append(",".join([number, average, *(row[name] for name in _BYTES)]))
        self.configuration = _Text(run.configuration.to_json())
        made_with = {name: read(row[name]) for name, read in _MADE_WITH.items() if row.get(name)}
        self.environment = _Text(json.dumps(made_with))
        self.metrics = _Text("\n".join(rounds))
        self.clients = _Text("client_id,num_train,num_test,test_accuracy\n")
        self.result = _Text(json.dumps(self.read_result()))

    def beside(self, directory: RunDirectory) -> TabledRun:
        """Returns the row that another run of its configuration makes, to be compared."""
        run = directory.read_run()
        return TabledRun(self.path, run, _row(directory, run))

    def is_finished(self) -> bool:
        """Says that it is."""
        return True

    def read_result(self) -> dict[str, Any]:
        """Returns as much of `result.json` as the row has."""
        return {name: float(self.row[name]) for name in _RESULT if self.row[name]}

    def read_seconds(self) -> RunSeconds | None:
        """Returns what the run took, or None where it was not measured."""
        measured = self.row["seconds"].split()
        return RunSeconds(*map(float, measured)) if measured else None


def tabled_run(run: ResolvedRun, results_dir: pathlib.Path) -> TabledRun | None:
    """Returns the files of a run if a folder of results has its row."""
    table, name = _place(run, results_dir)
    row = _rows(table).get(name)
    return None if row is None else TabledRun(table, run, row)


def seeds_of_tables(results_dir: pathlib.Path) -> set[int]:
    """Returns the seeds of the runs of all tables, but of those on validation data."""
    tables = (results_dir / FOLDER).glob("*.csv.xz")
    rows = (row for table in tables for row in _rows(table).values())
    return {int(row["seed"]) for row in rows if not row["validation_fraction"]}


def write_rows(directories: Iterable[RunDirectory], results_dir: pathlib.Path) -> None:
    """Writes the rows of finished runs into the tables of their data sets, beside those there."""
    written: dict[pathlib.Path, dict[str, dict[str, str]]] = {}
    for directory in directories:
        run = directory.read_run()
        table, name = _place(run, results_dir)
        rows = written.setdefault(table, dict(_rows(table)))
        rows[name] = {"run": name, **_row(directory, run)}
    for table, rows in written.items():
        table.parent.mkdir(parents=True, exist_ok=True)
        content = io.StringIO()
        ordered = sorted(
            rows.values(), key=lambda row: (not row["validation_fraction"], row["run"])
        )
        columns = dict.fromkeys(name for row in ordered for name in row)
        writer = csv.DictWriter(content, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(ordered)
        write_atomically(table, lzma.compress(content.getvalue().encode()))


def _place(run: ResolvedRun, results_dir: pathlib.Path) -> tuple[pathlib.Path, str]:
    """Returns the table of a run and its name there."""
    dataset, _, name = run_name(run).partition("/")
    return results_dir / FOLDER / f"{dataset}.csv.xz", name


def _row(directory: RunDirectory, run: ResolvedRun) -> dict[str, str]:
    configuration, result = run.configuration, directory.read_result() or {}
    seconds, made_with = directory.read_seconds(), read_environment(directory.environment)
    rounds = list(csv.DictReader(directory.metrics.read_text().splitlines()))
    rounds[-1][_AVERAGE] = rounds[-1].get(_AVERAGE) or str(result.get("test_average", ""))
    tests = [] if configuration.validation_fraction is not None else rounds
    own = (f"{name}={value}" for name, value in sorted(configuration.hyperparameters.items()))
    return {
        "learning_rate": f"{configuration.learning_rate:g}",
        "hyperparameters": " ".join(own),
        "seed": str(configuration.seeds.data),
        "validation_fraction": _number(configuration.validation_fraction),
        **{name: _number(result.get(name)) for name in _RESULT},
        "averages": " ".join(
            f"{row['round']}:{_number(float(row[_AVERAGE]))}" for row in tests if row.get(_AVERAGE)
        ),
        **{name: _number(float(rounds[-1][name])) for name in _BYTES},
        "seconds": "" if seconds is None else " ".join(f"{each:.4g}" for each in seconds),
        **{name: "" if (x := made_with.get(name)) is None else str(x) for name in _MADE_WITH},
    }


def _number(value: float | None) -> str:
    return "" if value is None else f"{round(float(value), DECIMALS):.{DECIMALS + 9}g}"


def _rows(table: pathlib.Path) -> Mapping[str, dict[str, str]]:
    try:
        return _read_rows(table, table.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{table} is damaged: {error}") from error


@functools.lru_cache(maxsize=32)
def _read_rows(table: pathlib.Path, _: int) -> Mapping[str, dict[str, str]]:
    with lzma.open(table, "rt", encoding="utf-8", newline="") as file:
        return {row["run"]: row for row in csv.DictReader(file)}
