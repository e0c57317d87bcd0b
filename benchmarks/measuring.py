"""Measures a case: rounds by turns, the clock and the memory, and whether the results agree."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import pathlib
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import psutil
import tensorflow as tf
import tensorflow_federated as tff

from benchmarks.case import Case
from benchmarks.contenders import Contender, Setting
from benchmarks.targets import Quantity
from benchmarks.workload import Workload
from experiments.runs import costs
from tff_weights import runtime
from tff_weights.runtime import ProgramOptions

_MEMORY_INTERVAL_SECONDS = 0.05


@dataclasses.dataclass(frozen=True)
class RoundTimes:
    """One contender's times.

    Attributes:
        label: The contender.
        first: Seconds of the warm-up round, compilation included.
        rounds: Seconds of each round after it.
        processor: Processor seconds of program and worker per round, the mean over `rounds`; other
            programs on the machine change it less than the clock's.
    """

    label: str
    first: float
    rounds: tuple[float, ...]
    processor: float

    @property
    def median(self) -> float:
        """The median of `rounds`."""
        return statistics.median(self.rounds)


@dataclasses.dataclass(frozen=True)
class PeakMemory:
    """The most memory that was resident at a time, in bytes."""

    program: int
    worker: int


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What was measured of one case.

    Attributes:
        subject: The times of the case's subject.
        reference: The times of its reference, if it has one.
        memory: Of both contenders together: they share program and worker.
        difference: Between their updates of the model after the first round, as a part of an
            update's length; None where they need not agree.
    """

    subject: RoundTimes
    reference: RoundTimes | None
    memory: PeakMemory
    difference: float | None

    def values(self, quantity: Quantity) -> tuple[float, ...]:
        """Returns a quantity of each pair of neighbouring rounds.

        Raises:
            ValueError: If the quantity is a ratio and there is no reference.
        """
        if quantity is Quantity.SECONDS:
            return self.subject.rounds
        if self.reference is None:
            raise ValueError(f"{quantity.value!r} needs a reference")
        pairs = zip(self.subject.rounds, self.reference.rounds)
        if quantity is Quantity.TIMES_AS_FAST:
            return tuple(theirs / ours for ours, theirs in pairs)
        return tuple(ours / theirs for ours, theirs in pairs)


def measure(case: Case, workload: Workload, *, repeats: int) -> Measurement:
    """Runs a warm-up round of each contender and then `repeats` rounds of each by turns.

    By turns, so that a machine that slows down or is busy for a while treats both alike.

    Args:
        case: What is measured.
        workload: The size of a round.
        repeats: How many rounds of each contender are timed, at least 1.

    Raises:
        ValueError: If `repeats` is less than 1.
    """
    if repeats < 1:
        raise ValueError(f"repeats must be an integer >= 1, got {repeats!r}")
    with _timers(case, workload) as (setting, timers), _peak_memory() as memory:
        for timer in timers:
            timer.run_round()
        difference = None
        if case.tolerance is not None and case.checked_steps is None:
            difference = _difference(setting, *timers)
        for _ in range(repeats):
            for timer in timers:
                timer.run_round()
    if case.tolerance is not None and case.checked_steps is not None:
        difference = _difference_after(case, workload, case.checked_steps)
    subject, *others = (timer.times() for timer in timers)
    reference = others[0] if others else None
    return Measurement(subject, reference, PeakMemory(**memory), difference)


@contextlib.contextmanager
def _timers(case: Case, workload: Workload) -> Iterator[tuple[Setting, list[_Timer]]]:
    """Yields what contenders are built for, and these, each with a runtime of its own."""
    entrants = [(case.subject, ProgramOptions()), (case.reference, case.reference_runtime)]
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as open_runtimes:
        setting = Setting(case.build_task(workload), workload, pathlib.Path(directory))
        timers = []
        for build, options in entrants:
            if build is not None:
                open_runtimes.enter_context(runtime.using(options))
                context = tff.framework.get_context_stack().current
                timers.append(_Timer(build(setting), context))
        yield setting, timers


class _Timer:
    """Runs a contender's rounds, one after the other, and keeps their times."""

    def __init__(self, contender: Contender, context: tff.framework.SyncContext):
        self._contender = contender
        self._context = context
        self._seconds: list[float] = []
        self._processor_seconds: list[float] = []

    def run_round(self) -> None:
        """Runs one round."""
        tff.framework.set_default_context(self._context)
        processor_start = _processor_seconds()
        start = time.perf_counter()
        self._contender.run_round()
        self._seconds.append(time.perf_counter() - start)
        self._processor_seconds.append(_processor_seconds() - processor_start)

    def weights(self) -> Any:
        """Returns the present model's trainable weights.

        Raises:
            ValueError: If the contender trains none.
        """
        if self._contender.weights is None:
            raise ValueError(f"{self._contender.label} trains no model")
        return self._contender.weights()

    def times(self) -> RoundTimes:
        """Returns the times of all rounds so far, the first of them the warm-up."""
        return RoundTimes(
            label=self._contender.label,
            first=self._seconds[0],
            rounds=tuple(self._seconds[1:]),
            processor=statistics.mean(self._processor_seconds[1:]),
        )


def _difference_after(case: Case, workload: Workload, steps: int) -> float:
    """Returns the difference after a round of at most so many steps."""
    short = workload.resized(steps=min(steps, workload.client_steps))
    with _timers(case, short) as (setting, timers):
        for timer in timers:
            timer.run_round()
        return _difference(setting, *timers)


def _difference(setting: Setting, subject: _Timer, reference: _Timer) -> float:
    """Returns `‖ours − theirs‖ / ‖ours − initial weights‖`."""
    initial, _ = setting.task.build_model(0).initial_weights
    ours = subject.weights()
    return _distance(ours, reference.weights()) / _distance(ours, initial)


def _distance(one: Any, other: Any) -> float:
    pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other))
    return math.hypot(*(float(np.linalg.norm(np.subtract(x, y))) for x, y in pairs))


def _processor_seconds() -> float:
    total = 0.0
    for _, process in costs.processes():
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total


@contextlib.contextmanager
def _peak_memory() -> Iterator[dict[str, int]]:
    """Yields a dictionary in which the peaks of program and worker are kept up to date."""
    peaks = {"program": 0, "worker": 0}
    ended = threading.Event()

    def look() -> None:
        for kind, process in costs.processes():
            with contextlib.suppress(psutil.Error):
                peaks[kind] = max(peaks[kind], process.memory_info().rss)

    def keep_looking() -> None:
        while not ended.wait(_MEMORY_INTERVAL_SECONDS):
            look()

    watcher = threading.Thread(target=keep_looking, daemon=True)
    watcher.start()
    try:
        yield peaks
    finally:
        look()
        ended.set()
        watcher.join()
