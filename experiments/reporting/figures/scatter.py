"""A panel per data set and variant: a point per client, and their correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from experiments.declaration import Artifact, Scatter
from experiments.reporting.client_quantities import client_quantity
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import Style, algorithm_style
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

# In points. Of a star, little is left of its size.
_MARKER_SIZES = {"*": 8.0}


def draw(
    artifact: Artifact,
    view: Scatter,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
) -> Figure:
    """Draws the clients of all seeds; where there is nothing to correlate, the panel says so."""
    algorithms = {variant.label: variant.algorithm for variant in artifact.variants}
    labels = {table.dataset: table.label for table in tables}
    shown = [(d, variant.label) for d in labels for variant in artifact.variants]
    shown = [(d, v) for d, v in shown if panels.of_dataset(finished, d, v)] or shown[:1]
    columns = min(4, len({variant for _, variant in shown}))
    figure, axes = panels.grid(len(shown), columns=max(2, columns), width=4.0, height=3.1)
    for axis, (dataset, variant) in zip(axes, shown):
        title = panels.short(f"{labels[dataset]}: {variant}")
        axis.set_title(title, fontsize="small", parse_math=False)
        records = panels.of_dataset(finished, dataset, variant)
        if not records:
            panels.say(axis)
            continue
        points = _points(records, view)
        if points.empty:
            panels.say(axis, "not measured")
            continue
        # With a panel of its own, a variant needs no shade of its own.
        style = algorithm_style(algorithms[variant])
        _draw_points(axis, points, style, num_seeds=len(records))
        axis.set_xlabel(view.x_label, parse_math=False)
        axis.set_ylabel(view.y_label, parse_math=False)
    return figure


def _points(records: Mapping[int, RunRecord], view: Scatter) -> pd.DataFrame:
    """Both quantities of every client that has both, of all seeds; empty if none has them."""
    try:
        tables = [
            pd.concat(
                {
                    axis: client_quantity(record, name)
                    for axis, name in (("x", view.x), ("y", view.y))
                },
                axis="columns",
            )
            for record in records.values()
        ]
    except KeyError:
        return pd.DataFrame()
    return pd.concat(tables).dropna()


def _draw_points(axis: Axes, points: pd.DataFrame, style: Style, *, num_seeds: int) -> None:
    x, y = points["x"].to_numpy(np.float64), points["y"].to_numpy(np.float64)
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
    said = correlation(x, y)
    seeds = "one seed" if num_seeds == 1 else f"{num_seeds} seeds"
    # Above the points, never on them.
    title = axis.get_title()
    axis.set_title(
        f"{title}\n{said}, {len(x)} clients of {seeds}", fontsize="small", parse_math=False
    )


def correlation(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> str:
    """Returns Pearson's `r` and its two-sided `p` in words; where it is not defined, that."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return "r not defined"
    r, p = stats.pearsonr(x, y)
    return f"r = {r:.3f}, p {'< 1e-300' if p == 0 else f'= {p:.2g}'}"
