"""Panels that show single clients: curves, histograms, and scatters of two quantities."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from scipy import stats

from experiments.declaration import AccuracyHistograms, ClientCurves, ClientHistograms, Scatter
from experiments.reporting.client_quantities import client_quantity
from experiments.reporting.figures import panels, style
from experiments.reporting.finished import FinishedArtifact

_COLOR_MAP = matplotlib.colormaps["viridis"]
_TENTHS = np.linspace(0, 100, 11)
_CENTRES = (_TENTHS[:-1] + _TENTHS[1:]) / 2
# In points. A star looks smaller than other markers.
_MARKER_SIZES = {"*": 8.0}
_SHADED_LOOK: dict[str, Any] = {"linewidth": 0.8, "marker": ".", "markersize": 2.5, "alpha": 0.8}
# Without a line: what a client does differs from round to round, and lines would cover it.
_POINTS: dict[str, Any] = {"linestyle": "none", "markersize": 2.5}
_NOT_MEASURED = "not measured"


def draw_curves(view: ClientCurves, source: FinishedArtifact) -> Figure:
    """Draws the smallest finished seed of each variant; a round without a client has no point."""
    shown = [(*of_place, curve) for of_place in source.by_variant.items() for curve in view.curves]
    columns = min(4, len(view.curves)) if len(view.curves) > 1 else 2
    figure, axes = panels.grid(len(shown), columns=columns, height=3.3)
    if not shown:
        panels.say(axes[0])
    handles: dict[str, Any] = {}
    for axis, (place, records, curve) in zip(axes, shown):
        seed, record = next(iter(records.items()))
        _set_title(axis, f"{_name(source, place)}, seed {seed}")
        clients = record.by_client(curve.column)
        if clients.empty:
            panels.say(axis, _NOT_MEASURED)
            continue
        # Colours distinguish at most this many clients; more are shaded by their index.
        are_named = len(clients.columns) <= len(style.PALETTE)
        scale = Normalize(0, max(clients.columns))
        for client, values in clients.items():
            values = values.dropna()
            if are_named:
                color = style.PALETTE[int(client) % len(style.PALETTE)]
                look = {**_POINTS, "marker": style.MARKERS[int(client) % len(style.MARKERS)]}
                name = view.names[int(client)] if view.names else f"client {client}"
                (handles[name],) = axis.plot(values, color=color, **look)
            else:
                color = _COLOR_MAP(scale(client))
                axis.plot(values, color=color, **_SHADED_LOOK)
        if not are_named:
            figure.colorbar(ScalarMappable(scale, _COLOR_MAP), ax=axis, label="client")
        handles |= panels.set_curve_axes(axis, curve)
    panels.legend(figure, handles)
    return figure


def draw_histograms(view: ClientHistograms, source: FinishedArtifact) -> Figure:
    """Draws the mean over the seeds of the clients in each bin; all panels have the same range."""
    styles = style.method_styles(source.artifact)
    values = {
        place: [client_quantity(record, view.quantity) for record in records.values()]
        for place, records in source.by_variant.items()
    }
    every = [of_seed for of_panel in values.values() for of_seed in of_panel]
    edges = np.histogram_bin_edges(np.concatenate(every or [np.empty(0)]), view.bins)
    figure, axes = panels.grid(len(values), columns=3, width=4.4, height=2.9)
    if not values:
        panels.say(axes[0])
    for axis, (place, of_panel) in zip(axes, values.items()):
        of_clients = np.concatenate(of_panel)
        if not len(of_clients):
            _set_title(axis, _name(source, place))
            panels.say(axis, _NOT_MEASURED)
            continue
        said = f"mean {of_clients.mean():.3g}, {_number_of_clients(of_clients, of_panel)}"
        _set_title(axis, _name(source, place), said)
        heights = np.mean([np.histogram(one, bins=edges)[0] for one in of_panel], axis=0)
        look: dict[str, Any] = {"color": styles[place[1]].color, "edgecolor": "white", "lw": 0.5}
        axis.bar(edges[:-1], heights, np.diff(edges), align="edge", **look)
        axis.set_xlim(edges[0], edges[-1])
        axis.set_xlabel(view.label, parse_math=False)
        axis.set_ylabel("clients" if len(of_panel) == 1 else "clients, mean over seeds")
    return figure


def draw_accuracies(view: AccuracyHistograms, source: FinishedArtifact) -> Figure:
    """Draws for each method a bar per tenth: its number of clients, as a mean over the seeds."""
    styles = style.method_styles(source.artifact)
    by_dataset = {table.dataset: table for table in source.tables}
    figure, axes = panels.grid(len(by_dataset), columns=2, width=6.4, height=2.9)
    handles: dict[str, Any] = {}
    for axis, (dataset, table) in zip(axes, by_dataset.items()):
        axis.set_title(table.label, fontsize="medium", parse_math=False)
        series = {}
        for method in table.rows:
            records = source.by_variant.get((dataset, method), {}).values()
            if records:
                accuracies = [client_quantity(record, "test_accuracy") for record in records]
                counts = [np.histogram(each, bins=_TENTHS)[0] for each in accuracies]
                series[method] = np.mean(counts, axis=0)
        if not series:
            panels.say(axis)
            continue
        width = 9.0 / len(series)
        for place, (method, clients) in enumerate(series.items()):
            own = styles[method]
            x = _CENTRES + (place - (len(series) - 1) / 2) * width
            bars = axis.bar(x, clients, 0.95 * width, color=own.color, edgecolor="white", lw=0.3)
            there = clients > 0
            look: dict[str, Any] = {"marker": own.marker, "markerfacecolor": own.marker_face}
            look |= {"linestyle": "none", "markersize": 3, "color": "0.15", "markeredgewidth": 0.5}
            axis.plot(x[there], clients[there], **look)
            handles.setdefault(method, bars)
        axis.set_xticks(_TENTHS)
        axis.set_xlim(0, 100)
        axis.set_xlabel("test accuracy of a client, %")
        axis.set_ylabel("clients, mean over seeds")
    panels.legend(figure, handles)
    return figure


def draw_scatter(view: Scatter, source: FinishedArtifact) -> Figure:
    """Draws the clients of all seeds. If there is nothing to correlate, the panel says so."""
    algorithms = {variant.label: variant.algorithm for variant in source.artifact.variants}
    columns = max(2, min(4, len({variant for _, variant in source.by_variant})))
    figure, axes = panels.grid(len(source.by_variant), columns=columns, width=4.0, height=3.1)
    if not source.by_variant:
        panels.say(axes[0])
    for axis, (place, records) in zip(axes, source.by_variant.items()):
        tables = [
            pd.DataFrame({name: client_quantity(record, name) for name in (view.x, view.y)})
            for record in records.values()
        ]
        points = pd.concat(tables).dropna()
        if points.empty:
            _set_title(axis, _name(source, place))
            panels.say(axis, _NOT_MEASURED)
            continue
        x, y = points[view.x].to_numpy(), points[view.y].to_numpy()
        # With a panel of its own, a variant needs no shade of its own.
        own = style.algorithm_style(algorithms[place[1]])
        size = _MARKER_SIZES.get(own.marker, 4.5)
        look: dict[str, Any] = {"marker": own.marker, "markersize": size, "color": own.color}
        axis.plot(x, y, linestyle="none", markeredgewidth=0.3, alpha=0.6, **look)
        axis.grid(axis="x", color="0.9", linewidth=0.8)
        # Above the points, never on them.
        said = f"{correlation(tables, view.x, view.y)}, {_number_of_clients(points, tables)}"
        _set_title(axis, _name(source, place), said)
        axis.set_xlabel(view.x_label, parse_math=False)
        axis.set_ylabel(view.y_label, parse_math=False)
    return figure


def correlation(tables: Sequence[pd.DataFrame], x: str, y: str) -> str:
    """Returns the mean over the seeds of Pearson's `r` as text, or says that it is not defined."""
    known = [table[[x, y]].dropna() for table in tables]
    varied = [each for each in known if len(each) > 2 and each.nunique().min() > 1]
    r = [stats.pearsonr(each[x], each[y]).statistic for each in varied]
    return f"{'mean ' if len(r) > 1 else ''}r = {np.mean(r):.2f}" if r else "r not defined"


def _number_of_clients(clients: Sized, seeds: Sized) -> str:
    of_seeds = "one seed" if len(seeds) == 1 else f"{len(seeds)} seeds"
    return f"{len(clients)} clients of {of_seeds}"


def _name(source: FinishedArtifact, place: tuple[str, str]) -> str:
    dataset, variant = place
    return f"{source.labels[dataset]}: {variant}"


def _set_title(axis: Axes, title: str, *more: str) -> None:
    axis.set_title("\n".join((panels.short(title), *more)), fontsize="small", parse_math=False)
