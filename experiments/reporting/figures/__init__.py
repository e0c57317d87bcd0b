"""An artifact's figure, drawn from the finished runs: one module for each view."""

from __future__ import annotations

import io
import pathlib
import textwrap
from collections.abc import Callable, Mapping, Sequence

import matplotlib
from matplotlib.figure import Figure
from PIL import Image

from experiments.declaration import view
from experiments.reporting.figures import (
    bars,
    clients,
    curves,
    parameter_sweep,
    specification_curve,
)
from experiments.reporting.finished import FinishedArtifact
from experiments.runs.files import write_atomically
from leaf_data import extensions

_DRAWERS: Mapping[type, Callable[..., Figure]] = {
    view.AccuracyHistograms: clients.draw_accuracies,
    view.Bars: bars.draw,
    view.ClientCurves: clients.draw_curves,
    view.ClientHistograms: clients.draw_histograms,
    view.Curves: curves.draw,
    view.Drawn: lambda drawn, source: extensions.load(drawn.drawer)(source),
    view.ParameterSweep: parameter_sweep.draw,
    view.Scatter: clients.draw_scatter,
    view.SpecificationCurve: specification_curve.draw,
}
_CHARACTERS_PER_INCH = 9
_PIXELS_PER_INCH = 110
_COLORS = 64


def draw(
    source: FinishedArtifact, stem: pathlib.Path, *, endings: Sequence[str] = (".png", ".svg")
) -> list[pathlib.Path]:
    """Draws an artifact's figure by its `view`, and returns the files, one for each ending.

    `stem` is the files' path without an ending. The same input gives the same bytes.
    """
    artifact = source.artifact
    figure = _DRAWERS[type(artifact.view)](artifact.view, source)
    width = int(figure.get_figwidth() * _CHARACTERS_PER_INCH)
    figure.suptitle(textwrap.fill(f"{artifact.name}: {artifact.title}", width), parse_math=False)
    paths = [stem.with_suffix(ending) for ending in endings]
    # Text stays text in the SVG, so that it is smaller and can be searched. It has no date and no
    # random names.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": artifact.name}):
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else None
            drawing = io.BytesIO()
            form = path.suffix.removeprefix(".")
            figure.savefig(drawing, format=form, dpi=_PIXELS_PER_INCH, metadata=metadata)
            if path.suffix == ".png":
                drawing = _with_palette(drawing)
            write_atomically(path, drawing.getvalue())
    return paths


def _with_palette(drawing: io.BytesIO) -> io.BytesIO:
    """Returns a PNG of few colours, a third as large: curves and bars look the same."""
    image = Image.open(drawing).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
    smaller = io.BytesIO()
    image.save(smaller, format="PNG", optimize=True, dpi=(_PIXELS_PER_INCH, _PIXELS_PER_INCH))
    return smaller
