"""What a program shows of many runs: on a terminal a line for each that ends, and a bar for all."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import tqdm

from experiments.runs import dropped_clients
from experiments.runs.configuration import RunConfiguration
from experiments.runs.time_estimate import TimeEstimate, time_text

if TYPE_CHECKING:
    from experiments.runs.sweep import Outcome

_BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
_SECONDS_BETWEEN_LINES = 60.0
_Item = TypeVar("_Item")


class SweepProgress:
    """How far a sweep is, on standard error, with the time left.

    On a terminal it is a bar, with a line for every run above it. Elsewhere it is a line a minute,
    and one for every run that failed or had been damaged.
    """

    def __init__(
        self,
        left: Mapping[RunConfiguration, str],
        *,
        num_finished: int,
        estimate: TimeEstimate,
        workers: int,
    ):
        """Initializes the progress and shows it.

        Args:
            left: The runs that are not finished, with what lines call them.
            num_finished: How many others are.
            estimate: How long runs take.
            workers: How many are trained at once.
        """
        self._left = dict(left)
        self._names = dict(left)
        self._total = num_finished + len(self._left)
        self._estimate = estimate
        self._workers = workers
        self._has_ended = threading.Event()
        self._bar = tqdm.tqdm(
            total=self._total,
            initial=num_finished,
            unit="run",
            desc="runs",
            dynamic_ncols=True,
            bar_format=_BAR,
            disable=None,  # Unless standard error is a terminal.
        )
        self._show()
        if self._bar.disable:
            threading.Thread(target=self._print_lines, daemon=True).start()

    def __enter__(self) -> SweepProgress:
        """Returns the progress."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves the bar as it is and ends its line."""
        self._has_ended.set()
        self._bar.close()

    def becomes(self, planned: RunConfiguration, actual: RunConfiguration) -> None:
        """Notes that a run is executed with another configuration than was planned."""
        name = self._names.get(planned, planned.algorithm)
        self._names[actual] = name
        if self._left.pop(planned, None) is not None:
            self._left[actual] = name

    def skipped(self, configuration: RunConfiguration) -> None:
        """Moves past a run that turned out to be finished, or that cannot be."""
        if self._left.pop(configuration, None) is not None:
            self._bar.update()
            self._show()

    def ended(self, outcome: Outcome) -> None:
        """Says what became of a run, and moves past it."""
        configuration = outcome.configuration
        if outcome.result is None:
            end = f"failed: {outcome.error}"
        else:
            end = _shown(outcome.result)
            self._estimate.add(outcome.files)
        took = "" if outcome.seconds is None else f", {outcome.seconds:.1f} s"
        name = self._names.get(configuration, configuration.algorithm)
        line = f"{configuration.dataset}, {name}, {_seeds(configuration)}: {end}{took}"
        said = dropped_clients.sentences(configuration, outcome.result or {})
        said += [] if outcome.recovery is None else [outcome.recovery]
        if not self._bar.disable or outcome.result is None or said:
            tqdm.tqdm.write(line, file=sys.stderr)
        for sentence in said:
            tqdm.tqdm.write(f"    {sentence}", file=sys.stderr)
        self.skipped(configuration)

    def line(self) -> str:
        """Returns how far the sweep is in a line."""
        done = f"{self._total - len(self._left)} of {self._total} runs done"
        return f"{done}, {self._time_left()}" if self._left else done

    def _time_left(self) -> str:
        left = list(self._left)
        return f"{time_text(self._estimate.total(left), min(self._workers, len(left)))} left"

    def _show(self) -> None:
        self._bar.set_postfix_str(self._time_left() if self._left else "")

    def _print_lines(self) -> None:
        while not self._has_ended.wait(_SECONDS_BETWEEN_LINES):
            print(self.line(), file=sys.stderr, flush=True)


def steps(items: Collection[_Item], *, unit: str) -> Iterator[_Item]:
    """Yields items, and shows on standard error how many are done.

    On a terminal it is a bar, elsewhere a line a minute.

    Args:
        items: What is done, one after the other.
        unit: What one is called.
    """
    bar = tqdm.tqdm(items, unit=unit, desc=f"{unit}s", dynamic_ncols=True, disable=None)
    latest = time.monotonic()
    for place, item in enumerate(bar):
        if bar.disable and time.monotonic() - latest >= _SECONDS_BETWEEN_LINES:
            print(f"{place} of {len(items)} {unit}s done", file=sys.stderr, flush=True)
            latest = time.monotonic()
        yield item


def _seeds(configuration: RunConfiguration) -> str:
    seeds = dataclasses.asdict(configuration.seeds)
    if len(set(seeds.values())) == 1:
        return f"seed {configuration.seeds.data}"
    return "seeds " + ", ".join(f"{name} {seed}" for name, seed in seeds.items())


def _shown(result: Mapping[str, Any]) -> str:
    if "test_average" in result:
        return f"{result['test_average']:.1f} %"
    return f"test loss {result['test_loss']:.4g}"
