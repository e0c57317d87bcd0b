"""Where a run's metrics go: tables, TensorBoard, and the bar on the terminal."""

from __future__ import annotations

import collections
import os
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


class RoundsTable(tff.program.CSVFileReleaseManager):
    """A table as CSV with a row for every round, to which rows are appended.

    TFF's own reads and writes all rows anew for each, even where it has none to remove: after 7,000
    rounds that took 0.3 seconds, thirty times as long as a round of a linear model. What a kill
    leaves of a row is cut off when the run goes on.

    Overridden is a step of TFF's `release` that is not public: with a TFF that no longer takes it,
    tables stay right and become slow again, which a test notices.
    """

    def __init__(self, file_path: str | os.PathLike[str]):
        """Goes on with the table if there is one.

        Args:
            file_path: The file; its column `round` is the key.
        """
        super().__init__(file_path, save_mode=tff.program.CSVSaveMode.APPEND, key_fieldname="round")

    async def _remove_values_greater_than_key(self, key: int) -> None:
        if self._latest_key is not None and self._latest_key > key:
            await super()._remove_values_greater_than_key(key)


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
