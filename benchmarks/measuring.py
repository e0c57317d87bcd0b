"""Measures a case: rounds by turns, the clock and the memory, and whether the results agree."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import pathlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import psutil
import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from benchmarks import tffs_worker
from benchmarks.case import Case, Quantity
from benchmarks.contenders import BuildContender, Contender, Setting
from benchmarks.workload import Workload
from experiments.runs import resource_use
from tff_weights import runtime

_Use: TypeAlias = Callable[[], contextlib.AbstractContextManager[None]]

_SECURE_SUMS_IN_THE_CLEAR = runtime.ProgramOptions(simulate_secure_aggregation=True)
# The columns' widths; the last is as wide as its text.
_FORMAT = "| {:<30} | {:>8} | {:>8} | {:>8} | {:>8} | {:<32} | {:>9} | {:<12} | {} |"

HEADER = (
    _FORMAT.format(
        *("case", "ours, s", "cpu, s", "other, s", "cpu, s"),
        *("median (from – to)", "cpu", "models", "target"),
    )
    + f"\n|{' --- |' * 9}"
)

EXPLANATION = """\
ours, other: the median round in seconds, ours and what it is compared with. Beside each, cpu:
processor seconds of a round, the mean, program and worker together.
median (from – to): over the pairs of neighbouring rounds. The next column, cpu, is the ratio of
the processor seconds.
models: how far apart both updates are, as a part of an update's length, after one round (of the
CNN's after a few steps, before rounding parts them)."""


class RoundTimes(NamedTuple):
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


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What was measured of one case.

    Attributes:
        name: The case's name.
        case: The case.
        workload: The size that was measured.
        subject: The times of the case's subject.
        reference: The times of its reference, if it has one.
        memory: The most bytes that `program` and `worker` have had so far.
        difference: Between their updates of the model after the first round, as a part of an
            update's length; None where they need not agree.
    """

    name: str
    case: Case
    workload: Workload
    subject: RoundTimes
    reference: RoundTimes | None
    memory: Mapping[str, int]
    difference: float | None

    @property
    def values(self) -> tuple[float, ...]:
        """The case's quantity, of each pair of neighbouring rounds."""
        if self.reference is None or self.case.quantity is Quantity.SECONDS:
            return self.subject.rounds
        pairs = zip(self.subject.rounds, self.reference.rounds)
        if self.case.quantity is Quantity.TIMES_AS_FAST:
            return tuple(theirs / ours for ours, theirs in pairs)
        return tuple(ours / theirs for ours, theirs in pairs)

    @property
    def value(self) -> float:
        """The median of `values`."""
        return statistics.median(self.values)

    @property
    def processor_value(self) -> float | None:
        """The same of the processor seconds.

        None without a reference, and of rounds shorter than a tick of the processor's clock.
        """
        if self.reference is None:
            return None
        ours, theirs = self.subject.processor, self.reference.processor
        if self.case.quantity is Quantity.TIMES_AS_FAST:
            ours, theirs = theirs, ours
        return ours / theirs if theirs else None

    @property
    def is_met(self) -> bool | None:
        """Whether the limit is kept to; None where there is none."""
        values = [self.value]
        if self.case.limits_processor and self.processor_value is not None:
            values.append(self.processor_value)
        met = [self.case.is_met(value) for value in values]
        return None if None in met else all(met)

    @property
    def agrees(self) -> bool | None:
        """Whether the models are as near each other as they must be; None where they need not."""
        if self.case.tolerance is None or self.difference is None:
            return None
        return self.difference <= self.case.tolerance

    def row(self) -> str:
        """Returns the table's row."""
        verdict = {None: "", True: ": met", False: ": **not met**"}[self.is_met]
        times = [
            f"{seconds:.3f}"
            for each in (self.subject, self.reference)
            if each is not None
            for seconds in (statistics.median(each.rounds), each.processor)
        ]
        models = "–"
        if self.agrees is not None:
            models = f"{'agree' if self.agrees else 'DIFFER'} {self.difference:.0e}"
        processor = self.processor_value
        return _FORMAT.format(
            self.name,
            *(times + ["–"] * 2)[:4],
            f"{self.value:.2f} {self.case.quantity.value} "
            f"({min(self.values):.2f} – {max(self.values):.2f})",
            "–" if processor is None else f"{processor:.2f}",
            models,
            f"{self.case.target}{verdict}",
        )

    def numbers(self) -> dict[str, Any]:
        """Returns everything as plain data."""
        return {
            "case": self.name,
            "title": self.case.title,
            "workload": dataclasses.asdict(self.workload),
            "subject": self.subject._asdict(),
            "reference": self.reference and self.reference._asdict(),
            "memory": dict(self.memory),
            "difference": self.difference,
            "quantity": self.case.quantity.value,
            "values": self.values,
            "value": self.value,
            "limit": self.case.limit,
            "processor_value": self.processor_value,
            "is_met": self.is_met,
            "agrees": self.agrees,
        }


def measure(name: str, case: Case, workload: Workload, *, repeats: int) -> Measurement:
    """Runs a warm-up round of each contender and then `repeats` rounds of each by turns.

    By turns, and each first in every other pair, so that a machine that slows down or is busy for a
    while treats both alike.

    Args:
        name: What the case is called.
        case: What is measured.
        workload: The size of a round.
        repeats: How many rounds of each contender are timed, at least 1.
    """
    with _timers(case, workload) as (setting, timers):
        for timer in timers:
            timer.run_round()
        difference = None
        if case.tolerance is not None and case.checked_steps is None:
            difference = _difference(setting, *timers)
        for number in range(repeats):
            for timer in timers[:: -1 if number % 2 else 1]:
                timer.run_round()
        memory = _peak_memory()
    if case.tolerance is not None and case.checked_steps is not None:
        difference = _difference_after(case, workload, case.checked_steps)
    subject, *others = (timer.times() for timer in timers)
    reference = others[0] if others else None
    return Measurement(name, case, workload, subject, reference, memory, difference)


@contextlib.contextmanager
def _timers(case: Case, workload: Workload) -> Iterator[tuple[Setting, list[_Timer]]]:
    """Yields what contenders are built for, and these, each with a runtime of its own."""
    in_program: _Use = functools.partial(runtime.using, _SECURE_SUMS_IN_THE_CLEAR)
    of_reference = in_program
    if case.on_tffs_worker:
        of_reference = tffs_worker.default_context
    entrants: list[tuple[BuildContender | None, _Use]] = [
        (case.subject, in_program),
        (case.reference, of_reference),
    ]
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as open_runtimes:
        setting = Setting(case.build_task(workload), workload, pathlib.Path(directory))
        timers = []
        for build, use in entrants:
            if build is not None:
                open_runtimes.enter_context(use())
                context = tff.framework.get_context_stack().current
                timers.append(_Timer(build(setting), context))
        yield setting, timers


class _Timer:
    """Runs a contender's rounds, one after the other, and keeps their times."""

    def __init__(self, contender: Contender, context: tff.framework.SyncContext):
        self.contender = contender
        self._context = context
        self._seconds: list[float] = []
        self._processor_seconds: list[float] = []

    def run_round(self) -> None:
        """Runs one round."""
        tff.framework.set_default_context(self._context)
        processor_start = _processor_seconds()
        start = time.perf_counter()
        self.contender.run_round()
        self._seconds.append(time.perf_counter() - start)
        self._processor_seconds.append(_processor_seconds() - processor_start)

    def times(self) -> RoundTimes:
        """Returns the times of all rounds so far, the first of them the warm-up."""
        return RoundTimes(
            label=self.contender.label,
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
    ours = subject.contender.weights()
    return _distance(ours, reference.contender.weights()) / _distance(ours, initial)


def _distance(one: Any, other: Any) -> float:
    pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other))
    return math.hypot(*(float(np.linalg.norm(np.subtract(x, y))) for x, y in pairs))


def _processor_seconds() -> float:
    total = 0.0
    for process in (psutil.Process(), *tffs_worker.workers()):
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def _peak_memory() -> dict[str, int]:
    peaks = {"program": resource_use.peak_memory() or 0}
    for worker in tffs_worker.workers():
        peaks["worker"] = resource_use.peak_memory(worker.pid) or 0
    return peaks
