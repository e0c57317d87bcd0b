from __future__ import annotations

import dataclasses

import matplotlib.image
import pytest

from experiments.artifacts import Artifact, ArtifactRun, Metric, Variant, View
from experiments.configuration import RunConfiguration
from experiments.reporting import figures
from experiments.reporting.comparison import Cell, Table
from experiments.run_directory import RunDirectory

_METRICS = (Metric("test_average", "average %"), Metric("test_variance", "variance"))
_ARTIFACT = Artifact(
    name="test/figure",
    title="A figure",
    datasets=("even", "odd"),
    variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox")),
    rounds={"smoke": 2, "short": 3, "paper": 4},
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


def _is_drawn(path) -> bool:
    image = matplotlib.image.imread(path)
    return image.shape[0] > 200 and image.std() > 0.01


def _finished(tmp_path):
    directory = RunDirectory(tmp_path / "run")
    directory.path.mkdir()
    directory.clients.write_text("client_id,test_accuracy\na,0.5\nb,1.0\nc,\n")
    configuration = RunConfiguration("fed_avg", "mnist", rounds=2, learning_rate=0.1)
    return [(ArtifactRun("even", "A", 1, configuration), directory)]


@pytest.mark.parametrize("view", list(View))
def test_a_figure_is_png_and_svg(tmp_path, view):
    artifact = dataclasses.replace(_ARTIFACT, view=view)
    paths = figures.draw(artifact, _TABLES, _finished(tmp_path), tmp_path / "figure")
    assert [path.name for path in paths] == ["figure.png", "figure.svg"]
    assert _is_drawn(paths[0])
    drawing = paths[1].read_text()
    assert drawing.startswith("<?xml") and drawing.endswith("</svg>\n")


@pytest.mark.parametrize("view", list(View))
def test_nothing_run_is_an_empty_figure(tmp_path, view):
    tables = [
        dataclasses.replace(
            table, cells=tuple(dataclasses.replace(cell, values={}) for cell in table.cells)
        )
        for table in _TABLES
    ]
    artifact = dataclasses.replace(_ARTIFACT, view=view)
    assert figures.draw(artifact, tables, [], tmp_path / "figure")[0].stat().st_size > 0
