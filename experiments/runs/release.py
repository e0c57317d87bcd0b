"""Where a run's metrics and states go: tables, a bar, checkpoints and TensorBoard."""

from __future__ import annotations

import collections
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
import tqdm
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar import summary as custom_scalar
from tensorboard.plugins.histogram.summary_v2 import histogram_pb
from tensorboard.plugins.scalar.summary_v2 import scalar_pb
from tensorflow_federated.python.program import structure_utils

from experiments.runs.configuration import RunConfiguration
from experiments.runs.resource_use import TIMES
from experiments.runs.run_directory import RunDirectory
from tff_weights import prune_client_store

_ON_THE_BAR = {
    "loss": tff.simulation.EVALUATION_METRICS_PREFIX + "train_loss",
    "accuracy": tff.simulation.EVALUATION_METRICS_PREFIX + "test_average",
}

WEIGHT = "client_weight"
CONFIGURATION = "configuration"
# A line per client: more are neither readable nor drawn quickly.
MOST_CLIENTS = 50

# The charts by category: a title, and tags as regular expressions.
_CHARTS = {
    "Fairness": {
        "test accuracy over clients, %": [
            f"evaluation/test_{name}$" for name in ("average", "worst_20", "best_20")
        ],
        "variance over clients": ["evaluation/test_variance$"],
        "Jain's index": ["evaluation/test_jain_index$"],
    },
    "Weights": {
        "weight of every client": [f"{WEIGHT}/"],
        "effective participants": ["aggregator/cohort/effective_participants$"],
    },
}


# From a round's metrics and its number to the metrics that are released.
Change = Callable[[Mapping[str, Any], int], Mapping[str, Any]]


class ChangedReleaseManager(tff.program.ReleaseManager[Any, int]):
    """Releases each round's metrics after a change by a function."""

    def __init__(self, inner: tff.program.ReleaseManager[Any, int], change: Change):
        self._inner = inner
        self._change = change

    async def release(self, value: Mapping[str, Any], key: int) -> None:
        """Releases what is made of the metrics of round `key`."""
        await self._inner.release(self._change(value, key), key)


def chosen(*, times: bool, more: Callable[[], Mapping[str, Any]] = dict) -> Change:
    """Returns a change that keeps only clock times, which always differ, or all but them.

    It adds what `more` returns in every round but the first, 0, in which nothing is trained.
    """

    def change(metrics: Mapping[str, Any], round_number: int) -> Mapping[str, Any]:
        kept = collections.OrderedDict(
            (name, each) for name, each in metrics.items() if (name in TIMES) is times
        )
        kept.update(more() if round_number > 0 else {})
        return kept

    return change


def with_client_weights(client_ids: Sequence[str]) -> Change:
    """Returns a change that adds the weight of each client that took part.

    The weights are scalars `client_weight/ID`, of the data set's first `MOST_CLIENTS` clients; a
    client that did not take part in a round has no point there. Weightings of a whole cohort are
    a histogram among the metrics. `client_ids` are by index.
    """
    shown = tuple(client_ids[:MOST_CLIENTS])

    def change(metrics: Mapping[str, Any], round_number: int) -> Mapping[str, Any]:
        cohort = metrics.get("aggregator", {}).get("cohort", {})
        indices = cohort.get("reports", {}).get("client_index", ())
        weights = {
            shown[index]: weight
            for index, weight in zip(indices, cohort.get("weights", ()))
            if 0 <= index < len(shown)
        }
        return {**metrics, **({WEIGHT: weights} if weights else {})}

    return change


class Summaries(tff.program.TensorBoardReleaseManager):
    """Writes what TFF's manager does, whose operations take longer than a small model's round."""

    async def release(self, value: Mapping[str, Any], key: int) -> None:
        """Writes the metrics of round `key`: numbers as scalars, arrays as histograms."""
        with self._summary_writer.as_default(step=key), np.errstate(all="ignore"):
            parts = [
                (histogram_pb if array.ndim else scalar_pb)(name, array).SerializeToString()
                for name, each in structure_utils.flatten_with_name(value)
                if (array := np.asarray(each)).dtype.kind in "biuf"
            ]
            tf.summary.experimental.write_raw_pb(b"".join(parts))  # One message with all values.


class RoundsTable(tff.program.CSVFileReleaseManager):
    """A table as CSV with a row for every round, to which rows are appended.

    TFF's own manager rewrites the whole table for every new row. After 7,000 rounds that took 0.3
    seconds, thirty times as long as a round of a linear model. An incomplete row after a kill is
    cut off when the run continues. The overridden step of TFF's `release` is not public: with a TFF
    without it tables stay right and become slow, which a test notices.
    """

    def __init__(self, file_path: str | os.PathLike[str]):
        """Goes on with the table if there is one; its column `round` is the key."""
        super().__init__(file_path, save_mode=tff.program.CSVSaveMode.APPEND, key_fieldname="round")

    async def release(self, value: Mapping[str, Any], key: int) -> None:
        """Writes the metrics of round `key`: numbers, and arrays as lists in JSON."""
        cells = tf.nest.map_structure(
            lambda x: json.dumps(np.asarray(x).tolist()) if np.ndim(x) else x, value
        )
        await super().release(cells, key)

    async def _remove_values_greater_than_key(self, key: int) -> None:
        if self._latest_key is not None and self._latest_key > key:
            await super()._remove_values_greater_than_key(key)


class ProgressBar(tff.program.ReleaseManager[Any, int]):
    """A tqdm bar with the round, the training loss, the test accuracy and the time left."""

    def __init__(self, *, description: str, rounds: int, disable: bool = False):
        self._bar = tqdm.tqdm(desc=description, total=rounds, unit="round", disable=disable)

    async def release(self, value: Mapping[str, Any], key: int) -> None:
        """Moves the bar to round `key`."""
        shown = {
            label: f"{np.round(value[column], 3)}"
            for label, column in _ON_THE_BAR.items()
            if column in value
        }
        if shown:
            self._bar.set_postfix(shown)
        if self._bar.n == 0 and key > 1:  # A resumed run: its first rounds cost no time now.
            self._bar.initial = self._bar.n = key - 1
        self._bar.update(key - self._bar.n)

    def close(self) -> None:
        """Leaves the bar as it is and ends its line."""
        self._bar.close()


class PruningStateManager(tff.program.FileProgramStateManager):
    """Keeps the newest checkpoints, and the clients' variates that these need."""

    def __init__(self, directory: RunDirectory, *, num_kept: int, seconds_between: float = 0.0):
        """Keeps at least one checkpoint, and saves none sooner after the start or the last one."""
        super().__init__(directory.checkpoints, keep_total=num_kept, keep_first=False)
        self._variates = directory.variates
        self._checksums = directory.checkpoint_checksums
        self._seconds_between = seconds_between
        self._latest = time.monotonic()

    async def save(self, program_state: Any, version: int) -> None:
        """Saves the state after `version` rounds, and removes older ones.

        It does nothing within `seconds_between` of the last save. Nor does it before the first
        round: that round adds columns to the tables, so they would differ from their checksums.
        """
        if version == 0 or time.monotonic() - self._latest < self._seconds_between:
            return
        await super().save(program_state, version)
        self._checksums.record(version)
        versions = await self.get_versions()
        prune_client_store(self._variates, oldest_round=min(versions or [version]))
        self._latest = time.monotonic()


def write_cards(summary_dir: str | os.PathLike[str], configuration: RunConfiguration) -> None:
    """Writes what is the same in all rounds, into a folder that is made.

    The charts are in TensorBoard's tab "Custom Scalars", the configuration in "Text".
    """
    chart, content = layout_pb2.Chart, layout_pb2.MultilineChartContent
    layout = layout_pb2.Layout()
    for category, charts in _CHARTS.items():
        shown = [chart(title=title, multiline=content(tag=tags)) for title, tags in charts.items()]
        layout.category.add(title=category, chart=shown)
    writer = tf.summary.create_file_writer(os.fspath(summary_dir))
    with writer.as_default(step=0):
        tf.summary.text(CONFIGURATION, f"```json\n{configuration.to_json()}```")
        tf.summary.experimental.write_raw_pb(custom_scalar.pb(layout).SerializeToString())
    writer.close()
