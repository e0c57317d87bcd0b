"""Panels that show single clients: curves, histograms, and scatters of two quantities."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from scipy import stats

from experiments.declaration import AccuracyHistograms, ClientCurves, ClientHistograms, Scatter
from experiments.reporting.client_quantities import client_quantity
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import (
    LINE_STYLES,
    MARKERS,
    PALETTE,
    algorithm_style,
    method_styles,
)
from experiments.reporting.finished import FinishedArtifact
from experiments.runs.record import RunRecord

# Colours distinguish no more clients than these; more are shaded by their number.
_NAMED_CLIENTS = len(PALETTE)
_COLOR_MAP = matplotlib.colormaps["viridis"]
_TENTHS = np.linspace(0, 100, 11)
_CENTRES = (_TENTHS[:-1] + _TENTHS[1:]) / 2
# In points. Of a star, little is left of its size.
_MARKER_SIZES = {"*": 8.0}
_NOT_MEASURED = "not measured"
_CLIENT_INDEX = "client_index"


def draw_curves(view: ClientCurves, source: FinishedArtifact) -> Figure:
    """Draws the smallest finished seed of each variant; a round without a client has no point."""
    labels = panels.labels(source)
    shown = [(*place, curve) for place in _finished(source) for curve in view.curves]
    columns = min(4, len(view.curves)) if len(view.curves) > 1 else 2
    figure, axes = panels.grid(len(shown), columns=columns, height=3.3)
    if not shown:
        panels.say(axes[0])
    handles: dict[str, Any] = {}
    for axis, (dataset, variant, curve) in zip(axes, shown):
        seed, record = next(iter(panels.records(source, dataset, variant).items()))
        _set_title(axis, f"{labels[dataset]}: {variant}, seed {seed}")
        clients = by_client(record, curve.column)
        if clients.empty:
            panels.say(axis, _NOT_MEASURED)
            continue
        if len(clients.columns) <= _NAMED_CLIENTS:
            handles |= _named_lines(axis, clients)
        else:
            _shaded_lines(figure, axis, clients)
        handles |= panels.set_curve_axes(axis, curve)
    panels.legend(figure, handles)
    return figure


def _named_lines(axis: Axes, clients: pd.DataFrame) -> dict[str, Any]:
    handles = {}
    for client in clients:
        values = clients[client].dropna()
        every = panels.shown_every(len(values))
        place = int(client)
        (handles[f"client {client}"],) = axis.plot(
            values.index,
            values,
            color=PALETTE[place % len(PALETTE)],
            linestyle=LINE_STYLES[place % len(LINE_STYLES)],
            marker=MARKERS[place % len(MARKERS)],
            markersize=4,
            markevery=(place % every, every),
            linewidth=1.3,
        )
    return handles


def _shaded_lines(figure: Figure, axis: Axes, clients: pd.DataFrame) -> None:
    scale = Normalize(0, max(clients.columns))
    for client in clients:
        values = clients[client].dropna()
        axis.plot(
            values.index,
            values,
            color=_COLOR_MAP(scale(client)),
            linewidth=0.8,
            marker=".",
            markersize=2.5,
            alpha=0.8,
        )
    figure.colorbar(ScalarMappable(scale, _COLOR_MAP), ax=axis, label="client")


def draw_histograms(view: ClientHistograms, source: FinishedArtifact) -> Figure:
    """Draws the clients of all seeds, as a mean over them; the range is that of all panels."""
    styles, labels, shown = method_styles(source.artifact), panels.labels(source), _finished(source)
    values = [
        [_quantity(record, view.quantity) for record in panels.records(source, *place).values()]
        for place in shown
    ]
    every = np.concatenate([np.concatenate(of_panel) for of_panel in values] or [np.empty(0)])
    edges = np.histogram_bin_edges(every, view.bins)
    figure, axes = panels.grid(len(shown), columns=3, width=4.4, height=2.9)
    if not shown:
        panels.say(axes[0])
    for axis, (dataset, variant), of_panel in zip(axes, shown, values):
        num_clients = sum(map(len, of_panel))
        if not num_clients:
            _set_title(axis, f"{labels[dataset]}: {variant}")
            panels.say(axis, _NOT_MEASURED)
            continue
        mean = np.concatenate(of_panel).mean()
        said = f"mean {mean:.3g}, {num_clients} clients of {_seeds(len(of_panel))}"
        _set_title(axis, f"{labels[dataset]}: {variant}", said)
        axis.bar(
            edges[:-1],
            np.mean([np.histogram(one, bins=edges)[0] for one in of_panel], axis=0),
            np.diff(edges),
            align="edge",
            color=styles[variant].color,
            edgecolor="white",
            linewidth=0.5,
        )
        axis.set_xlim(edges[0], edges[-1])
        axis.set_xlabel(view.label, parse_math=False)
        axis.set_ylabel("clients" if len(of_panel) == 1 else "clients, mean over seeds")
    return figure


def draw_accuracies(view: AccuracyHistograms, source: FinishedArtifact) -> Figure:
    """Draws, per method, a bar for each tenth: the clients in it, as a mean over the seeds.

    Of variants that a best-of row chooses from, only the best one is drawn.
    """
    styles = method_styles(source.artifact)
    hidden = {label for chosen_from in source.artifact.best_of.values() for label in chosen_from}
    by_dataset = {table.dataset: table for table in source.tables}
    figure, axes = panels.grid(len(by_dataset), columns=2, width=6.4, height=2.9)
    handles: dict[str, Any] = {}
    for axis, (dataset, table) in zip(axes, by_dataset.items()):
        axis.set_title(table.label, fontsize="medium", parse_math=False)
        series = {}
        for method, row in table.rows.items():
            records = panels.records(source, dataset, row[0].chosen or method).values()
            if records and method not in hidden:
                accuracies = [_quantity(record, "test_accuracy") for record in records]
                counts = [np.histogram(each, bins=_TENTHS)[0] for each in accuracies]
                series[method] = np.mean(counts, axis=0)
        if not series:
            panels.say(axis)
            continue
        width = 9.0 / len(series)
        for place, (method, clients) in enumerate(series.items()):
            style = styles[method]
            x = _CENTRES + (place - (len(series) - 1) / 2) * width
            color = style.color
            bars = axis.bar(x, clients, 0.95 * width, color=color, edgecolor="white", lw=0.3)
            axis.plot(
                x[clients > 0],
                clients[clients > 0],
                linestyle="none",
                marker=style.marker,
                markersize=3,
                color="0.15",
                markerfacecolor=style.marker_face,
                markeredgewidth=0.5,
            )
            handles.setdefault(method, bars)
        axis.set_xticks(_TENTHS)
        axis.set_xlim(0, 100)
        axis.set_xlabel("test accuracy of a client, %")
        axis.set_ylabel("clients, mean over seeds")
    panels.legend(figure, handles)
    return figure


def draw_scatter(view: Scatter, source: FinishedArtifact) -> Figure:
    """Draws the clients of all seeds; where there is nothing to correlate, the panel says so."""
    algorithms = {variant.label: variant.algorithm for variant in source.artifact.variants}
    labels = panels.labels(source)
    first = [(d, variant.label) for d in labels for variant in source.artifact.variants][:1]
    shown = _finished(source) or first
    columns = min(4, len({variant for _, variant in shown}))
    figure, axes = panels.grid(len(shown), columns=max(2, columns), width=4.0, height=3.1)
    for axis, (dataset, variant) in zip(axes, shown):
        title = f"{labels[dataset]}: {variant}"
        _set_title(axis, title)
        records = panels.records(source, dataset, variant)
        points = _points(records, view)
        if points.empty:
            panels.say(axis, _NOT_MEASURED if records else panels.NO_DATA)
            continue
        x, y = points["x"].to_numpy(np.float64), points["y"].to_numpy(np.float64)
        # With a panel of its own, a variant needs no shade of its own.
        style = algorithm_style(algorithms[variant])
        axis.plot(
            x,
            y,
            linestyle="none",
            marker=style.marker,
            markersize=_MARKER_SIZES.get(style.marker, 4.5),
            color=style.color,
            markeredgewidth=0.3,
            alpha=0.6,
        )
        axis.grid(axis="x", color="0.9", linewidth=0.8)
        # Above the points, never on them.
        _set_title(axis, title, f"{correlation(x, y)}, {len(x)} clients of {_seeds(len(records))}")
        axis.set_xlabel(view.x_label, parse_math=False)
        axis.set_ylabel(view.y_label, parse_math=False)
    return figure


def _points(records: Mapping[int, RunRecord], view: Scatter) -> pd.DataFrame:
    """Both quantities of every client that has both, of all seeds."""
    tables = [
        pd.DataFrame({"x": _quantity(record, view.x), "y": _quantity(record, view.y)})
        for record in records.values()
    ]
    return pd.concat(tables).dropna() if tables else pd.DataFrame()


def correlation(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> str:
    """Returns Pearson's `r` and its two-sided `p` in words; where it is not defined, that."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return "r not defined"
    r, p = stats.pearsonr(x, y)
    return f"r = {r:.3f}, p {'< 1e-300' if p == 0 else f'= {p:.2g}'}"


def by_client(record: RunRecord, column: str) -> pd.DataFrame:
    """Returns a row per round and a column per client; not a number where one took no part.

    Args:
        record: The run.
        column: A column with a number per participant. Who they are stands in the `client_index`
            that shares the longest part of its path with it.

    Returns:
        Empty where the run has no such column.

    Raises:
        ValueError: If the run has the column, but not who the participants were.
    """
    rounds = record.rounds
    if column not in rounds:
        return pd.DataFrame()
    indices = [name for name in rounds if name.split("/")[-1] == _CLIENT_INDEX]
    if not indices:
        raise ValueError(f"{column}: the run does not say who the participants were")
    who = max(
        indices, key=lambda name: len(os.path.commonprefix([name.split("/"), column.split("/")]))
    )
    rows = rounds[["round", column, who]].dropna()
    return pd.DataFrame(
        {
            number: dict(zip(json.loads(str(clients)), json.loads(str(values))))
            for number, values, clients in rows.itertuples(index=False)
        }
    ).T.sort_index(axis="columns")


def _finished(source: FinishedArtifact) -> list[tuple[str, str]]:
    """The data sets and variants that have a finished run."""
    return [
        (dataset, variant.label)
        for dataset in panels.labels(source)
        for variant in source.artifact.variants
        if panels.records(source, dataset, variant.label)
    ]


def _quantity(record: RunRecord, name: str) -> pd.Series:
    """The quantity of every client that has it; none where the run has not measured it."""
    try:
        return client_quantity(record, name)
    except KeyError:
        return pd.Series(dtype=np.float64)


def _set_title(axis: Axes, title: str, *more: str) -> None:
    lines = "\n".join((panels.short(title), *more))
    axis.set_title(lines, fontsize="small", parse_math=False)


def _seeds(num_seeds: int) -> str:
    return "one seed" if num_seeds == 1 else f"{num_seeds} seeds"
