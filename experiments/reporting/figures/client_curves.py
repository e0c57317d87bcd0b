"""A panel per data set, variant and curve: a line per client over the rounds, of one seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.declaration import Artifact, ClientCurves
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.series import by_client
from experiments.reporting.figures.style import LINE_STYLES, MARKERS, PALETTE
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

# More clients than these cannot be told apart by colour; they are shaded by their number.
_NAMED_CLIENTS = len(PALETTE)
_COLOR_MAP = matplotlib.colormaps["viridis"]


def draw(
    artifact: Artifact,
    view: ClientCurves,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
) -> Figure:
    """Draws the smallest finished seed of each variant; a round without a client has no point."""
    labels = {table.dataset: table.label for table in tables}
    shown = [
        (dataset, variant.label, curve)
        for dataset in labels
        for variant in artifact.variants
        if panels.of_dataset(finished, dataset, variant.label)
        for curve in view.curves
    ]
    columns = min(4, len(view.curves)) if len(view.curves) > 1 else 2
    figure, axes = panels.grid(len(shown), columns=columns, height=3.3)
    if not shown:
        panels.say(axes[0])
    handles: dict[str, Any] = {}
    for axis, (dataset, variant, curve) in zip(axes, shown):
        seed, record = next(iter(panels.of_dataset(finished, dataset, variant).items()))
        title = panels.short(f"{labels[dataset]}: {variant}, seed {seed}")
        axis.set_title(title, fontsize="small", parse_math=False)
        clients = by_client(record, curve.column)
        if clients.empty:
            panels.say(axis, "not measured")
            continue
        if len(clients.columns) <= _NAMED_CLIENTS:
            handles |= _named(axis, clients)
        else:
            _shaded(figure, axis, clients)
        if curve.target is not None:
            axis.axhline(curve.target, color="0.35", linestyle="--", linewidth=1)
            handles["target"] = Line2D([], [], color="0.35", linestyle="--", linewidth=1)
        if curve.logarithmic:
            axis.set_yscale("log")
        panels.over_rounds(axis)
        axis.set_ylabel(curve.label, parse_math=False)
    panels.legend(figure, handles)
    return figure


def _named(axis: Axes, clients: pd.DataFrame) -> dict[str, Any]:
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


def _shaded(figure: Figure, axis: Axes, clients: pd.DataFrame) -> None:
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
