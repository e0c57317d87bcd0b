"""A panel per data set and variant: how many clients have which value of a quantity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from experiments.declaration import Artifact, ClientHistograms
from experiments.reporting.client_quantities import client_quantity
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import method_styles
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord


def draw(
    artifact: Artifact,
    view: ClientHistograms,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
) -> Figure:
    """Draws the clients of all seeds, as a mean over them; the range is that of all panels."""
    styles = method_styles(artifact)
    labels = {table.dataset: table.label for table in tables}
    shown = [
        (dataset, variant.label, records)
        for dataset in labels
        for variant in artifact.variants
        if (records := panels.of_dataset(finished, dataset, variant.label))
    ]
    values = [
        [_values(record, view.quantity) for record in records.values()] for *_, records in shown
    ]
    every = np.concatenate([np.concatenate(of_panel) for of_panel in values] or [np.empty(0)])
    edges = np.linspace(*_range(every), view.bins + 1)
    figure, axes = panels.grid(len(shown), columns=3, width=4.4, height=2.9)
    if not shown:
        panels.say(axes[0])
    for axis, (dataset, variant, records), of_panel in zip(axes, shown, values):
        num_clients = sum(map(len, of_panel))
        seeds = "one seed" if len(records) == 1 else f"{len(records)} seeds"
        title = panels.short(f"{labels[dataset]}: {variant}")
        if not num_clients:
            axis.set_title(title, fontsize="small", parse_math=False)
            panels.say(axis, "not measured")
            continue
        title += f"\nmean {np.concatenate(of_panel).mean():.3g}, {num_clients} clients of {seeds}"
        axis.set_title(title, fontsize="small", parse_math=False)
        counts = np.mean([np.histogram(one, bins=edges)[0] for one in of_panel], axis=0)
        axis.bar(
            edges[:-1],
            counts,
            np.diff(edges),
            align="edge",
            color=styles[variant].color,
            edgecolor="white",
            linewidth=0.5,
        )
        axis.set_xlim(edges[0], edges[-1])
        axis.set_xlabel(view.label, parse_math=False)
        axis.set_ylabel("clients" if len(records) == 1 else "clients, mean over seeds")
    return figure


def _values(record: RunRecord, quantity: str) -> npt.NDArray[np.float64]:
    """The quantity of every client that has it; none where the run has not measured it."""
    try:
        return client_quantity(record, quantity).dropna().to_numpy(np.float64)
    except KeyError:
        return np.empty(0)


def _range(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """From the least to the largest value, and of some width where all are equal."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)
