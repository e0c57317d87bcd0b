"""The plot of cost against each dimension."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Sequence

import matplotlib

matplotlib.use("Agg")  # No screen is needed, nor looked for.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from benchmarks.cases import DIMENSIONS
from benchmarks.results import Result

_MEBIBYTE = 2**20


def panels(names: Sequence[str]) -> list[str]:
    """Returns the dimensions that the named cases belong to: the plot has a panel for each.

    Raises:
        ValueError: If they belong to none.
    """
    found = [group for group in DIMENSIONS if any(name.startswith(f"{group}/") for name in names)]
    if not found:
        raise ValueError(f"a plot needs cases of {', '.join(DIMENSIONS)}, got {', '.join(names)}")
    return found


def draw(results: Sequence[Result], file: pathlib.Path) -> None:
    """Draws seconds and memory against size, a panel for each dimension.

    Args:
        results: What was measured; cases of no dimension are left out.
        file: The PNG file.

    Raises:
        ValueError: If no case is of a dimension.
    """
    groups = panels([result.name for result in results])
    figure, axes = plt.subplots(
        1, len(groups), figsize=(5.2 * len(groups), 4.2), squeeze=False, layout="constrained"
    )
    for axis, group in zip(axes.flat, groups):
        _draw_panel(axis, [result for result in results if result.name.startswith(f"{group}/")])
        axis.set_xlabel(DIMENSIONS[group])
    figure.savefig(file, dpi=120, format="png")
    plt.close(figure)


def _draw_panel(axis: Axes, results: Sequence[Result]) -> None:
    """Draws the medians of both contenders on the left, and on the right what they have in memory.

    Where nothing ran on TFF's worker there is none to draw.
    """
    sizes = [result.case.size(result.workload) for result in results if result.case.size]
    measurements = [result.measurement for result in results]
    subjects = [measurement.subject for measurement in measurements]
    references = [measurement.reference for measurement in measurements if measurement.reference]
    for series, style in ((subjects, "o-"), (references, "s--")):
        axis.plot(sizes, [times.median for times in series], style, label=series[0].label)
    memory = axis.twinx()
    for process, marker in (("program", "v:"), ("worker", "^:")):
        peaks = [getattr(measurement.memory, process) / _MEBIBYTE for measurement in measurements]
        if all(peaks):
            label = f"{process}'s peak memory, both"
            memory.plot(sizes, peaks, marker, color="gray", label=label)
    axis.set(xscale="log", yscale="log", ylabel="seconds a round")
    memory.set(yscale="log", ylabel="MiB")
    for of_quantity in (axis, memory):
        _show_whole_decades(of_quantity)
    lines = [*axis.get_lines(), *memory.get_lines()]
    # Cost grows to the right. On the second axes, which are drawn over the first with their lines.
    labels = [str(line.get_label()) for line in lines]
    memory.legend(lines, labels, fontsize="small", loc="upper left")


def _show_whole_decades(axis: Axes) -> None:
    """Lets the axis begin and end at powers of ten, so that noise does not fill it."""
    values = np.concatenate([np.asarray(line.get_ydata(), float) for line in axis.get_lines()])
    lowest = math.floor(math.log10(values.min()))
    highest = math.ceil(math.log10(values.max()))
    axis.set_ylim(10.0**lowest, 10.0 ** max(highest, lowest + 1))
