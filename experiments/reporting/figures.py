"""An artifact's figure, drawn from the finished runs."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

import matplotlib

matplotlib.use("Agg")  # No screen is needed, nor looked for.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.declaration import AccuracyHistograms, Artifact
from experiments.reporting.comparison import Table
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

_ACCURACY_BINS = np.linspace(0, 100, 11)


def draw(
    artifact: Artifact,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
    stem: pathlib.Path,
) -> list[pathlib.Path]:
    """Draws the artifact's figure as PNG and SVG.

    Args:
        artifact: The artifact; its `view` says how.
        tables: What `compare` returned.
        finished: The runs that are finished, with what they left behind.
        stem: The files' path without its ending.

    Returns:
        The files written.
    """
    if isinstance(artifact.view, AccuracyHistograms):
        figure = _accuracy_histograms(artifact, tables, finished)
    else:
        figure = _bars(artifact, tables)
    figure.suptitle(f"{artifact.name}: {artifact.title}")
    paths = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    for path in paths:
        figure.savefig(path, dpi=120)
    plt.close(figure)
    return paths


def _bars(artifact: Artifact, tables: Sequence[Table]) -> Figure:
    """One panel per metric, a group of bars per table, the paper's numbers as marks."""
    columns = min(2, len(artifact.metrics))
    rows = -(-len(artifact.metrics) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(7 * columns, 3.6 * rows), squeeze=False, layout="constrained"
    )
    methods = list(dict.fromkeys(method for table in tables for method in table.rows))
    width = 0.8 / len(methods)
    colors = [f"C{number}" for number in range(10)]
    for column, (axis, metric) in enumerate(zip(axes.flat, artifact.metrics)):
        for at, table in enumerate(tables):
            for method, row in table.rows.items():
                cell, place = row[column], methods.index(method)
                x = at + (place - (len(methods) - 1) / 2) * width
                axis.bar(
                    x,
                    0.0 if cell.mean is None else cell.mean,
                    width,
                    yerr=cell.std,
                    color=colors[place % len(colors)],
                    label=method if at == 0 else None,
                )
                if cell.paper is not None:
                    axis.plot(x, cell.paper, "k_", markersize=9, markeredgewidth=2)
        axis.set_title(metric.label)
        titles = [table.title.replace(", ", "\n") for table in tables]
        axis.set_xticks(range(len(tables)), titles, fontsize=None if len(tables) < 6 else 5)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    if any(cell.paper is not None for table in tables for cell in table.cells):
        handles.append(Line2D([], [], color="k", marker="_", linestyle="none", markersize=9))
        labels.append("paper")
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 5))
    return figure


def _accuracy_histograms(
    artifact: Artifact,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
) -> Figure:
    """One panel per data set: how many clients end in which tenth of the accuracy's range."""
    columns = min(2, len(artifact.datasets))
    rows = -(-len(artifact.datasets) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(7 * columns, 3.6 * rows), squeeze=False, layout="constrained"
    )
    hidden = {label for candidates in artifact.best_of.values() for label in candidates}
    for axis, table in zip(axes.flat, tables):
        dataset = table.dataset
        shown = {
            method: row[0].chosen or method
            for method, row in table.rows.items()
            if method not in hidden
        }
        series = {
            label: np.concatenate(accuracies)
            for label, variant in shown.items()
            if (
                accuracies := [
                    100 * record.clients["test_accuracy"].dropna().to_numpy()
                    for run, record in finished
                    if run.dataset == dataset and run.variant == variant
                ]
            )
        }
        if series:
            axis.hist(list(series.values()), bins=list(_ACCURACY_BINS), label=list(series))
            axis.legend()
        axis.set_title(dataset)
        axis.set_xlabel("test accuracy of a client, %")
        axis.set_ylabel("clients, all seeds")
    return figure
