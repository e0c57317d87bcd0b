"""A panel per data set: how many clients end in which tenth of the accuracy's range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from experiments.declaration import AccuracyHistograms, Artifact
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import hidden_candidates, method_styles
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

_BINS = np.linspace(0, 100, 11)
_CENTRES = (_BINS[:-1] + _BINS[1:]) / 2


def draw(
    artifact: Artifact,
    view: AccuracyHistograms,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
) -> Figure:
    """Draws, per method, a bar for each tenth: the clients in it, as a mean over the seeds.

    Of variants that a best-of row chooses from, only the best one is drawn.
    """
    styles, hidden = method_styles(artifact), hidden_candidates(artifact)
    by_dataset = {table.dataset: table for table in tables}
    figure, axes = panels.grid(len(by_dataset), columns=2, width=6.4, height=2.9)
    handles: dict[str, Any] = {}
    for axis, (dataset, table) in zip(axes, by_dataset.items()):
        axis.set_title(table.label, fontsize="medium", parse_math=False)
        series = {}
        for method, row in table.rows.items():
            if method not in hidden:
                records = panels.of_dataset(finished, dataset, row[0].chosen or method).values()
                counts = [_clients_by_accuracy(record) for record in records]
                if counts:
                    series[method] = np.mean(counts, axis=0)
        if not series:
            panels.say(axis)
            continue
        width = 9.0 / len(series)
        for place, (method, counts_of_method) in enumerate(series.items()):
            style = styles[method]
            x = _CENTRES + (place - (len(series) - 1) / 2) * width
            bars = axis.bar(
                x, counts_of_method, 0.95 * width, color=style.color, edgecolor="white", lw=0.3
            )
            axis.plot(
                x[counts_of_method > 0],
                counts_of_method[counts_of_method > 0],
                linestyle="none",
                marker=style.marker,
                markersize=3,
                color="0.15",
                markerfacecolor=style.marker_face,
                markeredgewidth=0.5,
            )
            handles.setdefault(method, bars)
        axis.set_xticks(_BINS)
        axis.set_xlim(0, 100)
        axis.set_xlabel("test accuracy of a client, %")
        axis.set_ylabel("clients, mean over seeds")
    panels.legend(figure, handles)
    return figure


def _clients_by_accuracy(record: RunRecord) -> npt.NDArray[np.int64]:
    accuracies = 100 * record.clients["test_accuracy"].dropna().to_numpy(np.float64)
    return np.histogram(accuracies, bins=_BINS)[0]
