"""What a run costs: the seconds of a round, and the memory of the program."""

from __future__ import annotations

import csv
import pathlib
import re
import statistics
from typing import NamedTuple

import tensorflow_federated as tff

# Clock times among a round's metrics, as TFF names them.
TIMES = _TRAINING, _EVALUATION = (
    tff.simulation.TRAINING_TIME_KEY,
    tff.simulation.EVALUATION_METRICS_PREFIX + tff.simulation.EVALUATION_TIME_KEY,
)
_FIRST_TIMED_ROUND = 4


class RunSeconds(NamedTuple):
    """What a run took.

    Attributes:
        total: All its rounds and evaluations, in seconds.
        once: The part of `total` that does not grow with the rounds, such as compilation.
        training: One round's training without evaluation, in seconds: the median from round 4 on,
            so that compilation is behind it, or the last one of a shorter run.
        evaluation: One evaluation, in seconds, the median.
    """

    total: float
    once: float
    training: float
    evaluation: float

    @classmethod
    def of_rounds(cls, timings: str) -> RunSeconds | None:
        """Returns a run's seconds from the text of its table of times; None if nothing was timed.

        Raises:
            ValueError: If it is no such table.
        """
        # Without pandas, which takes ten times as long for a small table; there are thousands of
        # tables.
        rows = list(csv.DictReader(timings.splitlines()))
        training = {
            int(row.get("round", "")): float(row[_TRAINING]) for row in rows if row.get(_TRAINING)
        }
        evaluation = [float(row[_EVALUATION]) for row in rows if row.get(_EVALUATION)]
        if not training or not evaluation:
            return None
        first = min(_FIRST_TIMED_ROUND, max(training))
        per_round = statistics.median(training[each] for each in training if each >= first)
        per_evaluation = statistics.median(evaluation)
        compilation = next(iter(training.values())) - per_round
        first_evaluation = evaluation[0] - per_evaluation
        return cls(
            total=sum(training.values()) + sum(evaluation),
            once=max(0.0, compilation) + max(0.0, first_evaluation),
            training=per_round,
            evaluation=per_evaluation,
        )


def peak_memory(pid: int | str = "self") -> int | None:
    """Returns the most memory that a process has had so far, in bytes; this one by default.

    None if it is not known: outside Linux, or after the process has ended.
    """
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    # The largest resident memory so far.
    peak = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    return None if peak is None else 1024 * int(peak[1])
