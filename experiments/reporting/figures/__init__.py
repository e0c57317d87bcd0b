"""An artifact's figure, drawn from the finished runs: one module for each view."""

from __future__ import annotations

import io
import pathlib
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from PIL import Image

from experiments.declaration import (
    AccuracyHistograms,
    Artifact,
    Bars,
    ClientCurves,
    ClientHistograms,
    Curves,
    ParameterSweep,
    Ranks,
    Scatter,
)
from experiments.reporting.comparison import Table
from experiments.reporting.figures import (
    bars,
    client_curves,
    client_histograms,
    curves,
    histograms,
    parameter_sweep,
    ranks,
    scatter,
)
from experiments.runs.files import write_bytes_atomically
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

_DRAWERS: Mapping[type, Callable[..., Figure]] = {
    AccuracyHistograms: histograms.draw,
    Bars: bars.draw,
    ClientCurves: client_curves.draw,
    ClientHistograms: client_histograms.draw,
    Curves: curves.draw,
    ParameterSweep: parameter_sweep.draw,
    Ranks: ranks.draw,
    Scatter: scatter.draw,
}
_CHARACTERS_PER_INCH = 9
_PIXELS_PER_INCH = 110
_COLORS = 256


def draw(
    artifact: Artifact,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
    stem: pathlib.Path,
    *,
    endings: Sequence[str] = (".png", ".svg"),
) -> list[pathlib.Path]:
    """Draws the artifact's figure.

    Args:
        artifact: The artifact; its `view` says how.
        tables: What `compare` returned.
        finished: The runs that are finished, with what they left behind.
        stem: The files' path without its ending.
        endings: A file is written for each, in this form.

    Returns:
        The files written; the same input gives the same bytes.
    """
    view: Any = artifact.view
    figure = _DRAWERS[type(view)](artifact, view, tables, finished)
    width = int(figure.get_figwidth() * _CHARACTERS_PER_INCH)
    figure.suptitle(textwrap.fill(f"{artifact.name}: {artifact.title}", width), parse_math=False)
    paths = [stem.with_suffix(ending) for ending in endings]
    # Text stays text in the SVG, which is smaller and can be searched; no date, no random names.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": artifact.name}):
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else None
            drawing = io.BytesIO()
            form = path.suffix.removeprefix(".")
            figure.savefig(drawing, format=form, dpi=_PIXELS_PER_INCH, metadata=metadata)
            if path.suffix == ".png":
                drawing = _with_palette(drawing)
            write_bytes_atomically(path, drawing.getvalue())
    return paths


def _with_palette(drawing: io.BytesIO) -> io.BytesIO:
    """Returns a PNG of 256 colours, a third as large: curves and bars look the same."""
    image = Image.open(drawing).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
    smaller = io.BytesIO()
    image.save(smaller, format="PNG", optimize=True, dpi=(_PIXELS_PER_INCH, _PIXELS_PER_INCH))
    return smaller
