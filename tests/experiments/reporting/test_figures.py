from __future__ import annotations

import dataclasses
import math

import matplotlib.image
import pytest
from records import record

from experiments.declaration import AccuracyHistograms, Artifact, Bars, Metric, Scale, Variant
from experiments.reporting import figures
from experiments.reporting.comparison import Cell, Table
from experiments.runs.configuration import RunConfiguration
from experiments.runs.plan import ArtifactRun

_METRICS = (Metric("test_average", "average %"), Metric("test_variance", "variance"))
_ARTIFACT = Artifact(
    name="test/figure",
    title="A figure",
    datasets=("even", "odd"),
    variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox")),
    scales={"smoke": Scale(2), "short": Scale(3), "paper": Scale(4)},
    metrics=_METRICS,
)
_TABLES = [
    Table(
        dataset,
        None,
        _METRICS,
        tuple(
            Cell(dataset, method, metric, paper, values)
            for metric in _METRICS
            for method, paper, values in (("A", 50.0, {1: 40.0, 2: 44.0}), ("B", None, {}))
        ),
    )
    for dataset in ("even", "odd")
]


_VIEWS = (Bars(), AccuracyHistograms())


def _is_drawn(path) -> bool:
    image = matplotlib.image.imread(path)
    return image.shape[0] > 200 and image.std() > 0.01


def _finished():
    clients = {"client_id": ["a", "b", "c"], "test_accuracy": [0.5, 1.0, math.nan]}
    configuration = RunConfiguration("fed_avg", "mnist", rounds=2, learning_rate=0.1)
    run = ArtifactRun("even", "A", 1, configuration)
    return [(run, record(clients=clients, configuration=configuration))]


@pytest.mark.parametrize("view", _VIEWS, ids=lambda view: type(view).__name__)
def test_a_figure_is_png_and_svg(tmp_path, view):
    artifact = dataclasses.replace(_ARTIFACT, view=view)
    paths = figures.draw(artifact, _TABLES, _finished(), tmp_path / "figure")
    assert [path.name for path in paths] == ["figure.png", "figure.svg"]
    assert _is_drawn(paths[0])
    drawing = paths[1].read_text()
    assert drawing.startswith("<?xml") and drawing.endswith("</svg>\n")


@pytest.mark.parametrize("view", _VIEWS, ids=lambda view: type(view).__name__)
def test_nothing_run_is_an_empty_figure(tmp_path, view):
    tables = [
        dataclasses.replace(
            table, cells=tuple(dataclasses.replace(cell, values={}) for cell in table.cells)
        )
        for table in _TABLES
    ]
    artifact = dataclasses.replace(_ARTIFACT, view=view)
    assert figures.draw(artifact, tables, [], tmp_path / "figure")[0].stat().st_size > 0
