"""Where a run's metrics go: tables, TensorBoard, and the bar on the terminal."""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow_federated as tff
import tqdm

_TIMING_KEYS = (
    tff.simulation.TRAINING_TIME_KEY,
    tff.simulation.EVALUATION_METRICS_PREFIX + tff.simulation.EVALUATION_TIME_KEY,
)


def is_timing(key: str) -> bool:
    """Says whether a metric is clock time, which no two runs share."""
    return key in _TIMING_KEYS


class SelectingReleaseManager(tff.program.ReleaseManager[Any, int]):
    """Releases those metrics of a round whose key is chosen, and others with them."""

    def __init__(
        self,
        inner: tff.program.ReleaseManager[Any, int],
        choose: Callable[[str], bool],
        *,
        constants: Mapping[str, Any] = MappingProxyType({}),
        measure: Callable[[], Mapping[str, Any]] = dict,
    ):
        """Initializes the manager.

        Args:
            inner: Where the chosen metrics go.
            choose: From a metric's top-level key to whether it is released.
            constants: What is the same in every round but the first, in which nothing is sent.
            measure: Called for every round but the first for more of its metrics.
        """
        self._inner = inner
        self._choose = choose
        self._constants = constants
        self._measure = measure

    async def release(self, value: Mapping[str, Any], key: int) -> None:
        """Releases the chosen metrics of round `key`."""
        chosen = collections.OrderedDict(
            (name, metric) for name, metric in value.items() if self._choose(name)
        )
        if key > 0:
            chosen.update(self._constants)
            chosen.update(self._measure())
        await self._inner.release(chosen, key)


class ProgressBar(tff.program.ReleaseManager[Any, int]):
    """A tqdm bar with the round, the training loss, the test accuracy and the time left."""

    def __init__(self, *, description: str, rounds: int, disable: bool = False):
        """Initializes the bar; it is shown from the first release on.

        Args:
            description: What stands before the bar.
            rounds: The number of the last round.
            disable: Whether to show nothing.
        """
        self._bar = tqdm.tqdm(desc=description, total=rounds, unit="round", disable=disable)

    async def release(self, value: Mapping[str, Any], key: int) -> None:
        """Moves the bar to round `key`."""
        shown = {
            label: value[tff.simulation.EVALUATION_METRICS_PREFIX + name]
            for label, name in (("loss", "train_loss"), ("accuracy", "test_average"))
            if tff.simulation.EVALUATION_METRICS_PREFIX + name in value
        }
        if shown:
            self._bar.set_postfix({label: f"{np.round(x, 3)}" for label, x in shown.items()})
        if self._bar.n == 0 and key > 1:  # A resumed run: its first rounds cost no time now.
            self._bar.initial = self._bar.n = key - 1
        self._bar.update(key - self._bar.n)

    def close(self) -> None:
        """Leaves the bar as it is and ends its line."""
        self._bar.close()
