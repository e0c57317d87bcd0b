"""What TensorBoard shows of a run besides its metrics: weights, fairness and configuration."""

from __future__ import annotations

import collections
import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar import summary as custom_scalar

from experiments.runs.configuration import RunConfiguration

WEIGHT = "client_weight"
CONFIGURATION = "configuration"
# A line per client: more can neither be told apart nor be drawn quickly.
MOST_CLIENTS = 50

# Title and tags, as regular expressions, of what is drawn in one chart each, by category.
_CHARTS = {
    "Fairness": (
        (
            "test accuracy over clients, %",
            (
                r"evaluation/test_average$",
                r"evaluation/test_worst_20$",
                r"evaluation/test_best_20$",
            ),
        ),
        ("variance over clients", (r"evaluation/test_variance$",)),
        ("Jain's index", (r"evaluation/test_jain_index$",)),
    ),
    "Weights": (
        ("weight of every client", (rf"{WEIGHT}/",)),
        ("effective participants", (r"aggregator/cohort/effective_participants$",)),
    ),
}


def write_cards(summary_dir: str | os.PathLike[str], configuration: RunConfiguration) -> None:
    """Writes what is the same in all rounds: the configuration, and which charts to draw.

    The charts are in TensorBoard's tab "Custom Scalars", the configuration in "Text".

    Args:
        summary_dir: The folder of the run's files for TensorBoard; it is made.
        configuration: The run's.
    """
    charts = custom_scalar.pb(_layout()).SerializeToString()
    writer = tf.summary.create_file_writer(os.fspath(summary_dir))
    with writer.as_default(step=0):
        tf.summary.text(CONFIGURATION, _as_markdown(configuration))
        tf.summary.experimental.write_raw_pb(charts)
    writer.close()


class ClientWeightsReleaseManager(tff.program.ReleaseManager[Any, int]):
    """Releases a round's metrics together with the weight of each client that took part.

    The weights are scalars `client_weight/ID`, of the data set's first `MOST_CLIENTS` clients; a
    client that did not take part in a round has no point there. Weightings of a whole cohort are
    a histogram among the metrics.
    """

    def __init__(self, inner: tff.program.ReleaseManager[Any, int], client_ids: Sequence[str]):
        """Initializes the manager.

        Args:
            inner: Where all goes.
            client_ids: The data set's clients by index.
        """
        self._inner = inner
        self._client_ids = tuple(client_ids[:MOST_CLIENTS])

    async def release(self, value: Mapping[str, Any], key: int) -> None:
        """Releases the metrics of round `key`."""
        cohort = value.get("aggregator", {}).get("cohort", {})
        weights = collections.OrderedDict(
            (self._client_ids[index], weight)
            for index, weight in zip(
                cohort.get("reports", {}).get("client_index", ()), cohort.get("weights", ())
            )
            if 0 <= index < len(self._client_ids)
        )
        await self._inner.release({**value, **({WEIGHT: weights} if weights else {})}, key)


def _layout() -> layout_pb2.Layout:
    return layout_pb2.Layout(
        category=[
            layout_pb2.Category(title=category, chart=[_chart(*chart) for chart in charts])
            for category, charts in _CHARTS.items()
        ]
    )


def _chart(title: str, tags: Sequence[str]) -> layout_pb2.Chart:
    return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))


def _as_markdown(configuration: RunConfiguration) -> str:
    """Returns the configuration as a table, what it nests in rows of their own."""
    rows = ["| setting | value |", "| --- | --- |"]
    for name, value in dataclasses.asdict(configuration).items():
        nested = value if isinstance(value, Mapping) else {"": value}
        for inner_name, inner_value in nested.items():
            label = f"{name}.{inner_name}" if inner_name else name
            rows.append(f"| {label} | `{json.dumps(inner_value)}` |")
    return "\n".join(rows)
