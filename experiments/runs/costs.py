"""What a run costs: the seconds of a round, and the memory of the program and of TFF's worker."""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Iterator

import pandas as pd
import psutil

_WORKER_NAME = "worker_binary"
_TRAINING_TIME = "training_time_in_seconds"
# Linux keeps the most that a process ever had resident under this name.
_PEAK_FIELD = "VmHWM:"


def seconds_per_round(timings: str | os.PathLike[str], *, first_round: int) -> float:
    """Returns `median_seconds_per_round` of the table of times in a file."""
    return median_seconds_per_round(pd.read_csv(timings), first_round=first_round)


def median_seconds_per_round(timings: pd.DataFrame, *, first_round: int) -> float:
    """Returns the median training time of a run's rounds, evaluation not included.

    Args:
        timings: The run's table of times.
        first_round: The first round that counts, so that compilation is behind it. Where there is
            none so late the last round counts.
    """
    table = timings.dropna(subset=[_TRAINING_TIME])
    first_round = min(first_round, table["round"].max())
    return float(table[table["round"] >= first_round][_TRAINING_TIME].median())


def processes() -> Iterator[tuple[str, psutil.Process]]:
    """Yields the running processes of this program with what they are: program or worker."""
    program = psutil.Process()
    yield "program", program
    for child in program.children(recursive=True):
        with contextlib.suppress(psutil.Error):  # It may just have ended.
            if child.name() == _WORKER_NAME:
                yield "worker", child


def peak_memory() -> dict[str, int]:
    """Returns the most memory that the program and its worker have had so far, in bytes.

    Only on Linux; elsewhere there is nothing in it.
    """
    peaks: dict[str, int] = {}
    for kind, process in processes():
        with contextlib.suppress(OSError):  # No Linux, or the process has just ended.
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            kilobytes = next(
                int(line.split()[1]) for line in status.splitlines() if line.startswith(_PEAK_FIELD)
            )
            peaks[kind] = max(peaks.get(kind, 0), 1024 * kilobytes)
    return peaks
