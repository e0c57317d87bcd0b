from __future__ import annotations

import dataclasses
import json
import math
import sys
import types

import matplotlib
import numpy as np
import pandas as pd
import pytest
from made_runs import toy_artifact
from PIL import Image
from records import record

from experiments.declaration import (
    AccuracyHistograms,
    Algorithm,
    Bars,
    ClientCurves,
    ClientHistograms,
    Curve,
    Curves,
    Drawn,
    Metric,
    ParameterSweep,
    Scatter,
    Variant,
)
from experiments.papers import catalogue
from experiments.reporting import figures
from experiments.reporting.figures import bars, clients, curves, panels, parameter_sweep, style
from experiments.reporting.finished import FinishedArtifact
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import resolve
from experiments.runs.plan import ArtifactRun

_METRICS = (
    Metric("test_average", "average %", "average", in_round=2),
    Metric("test_variance", "variance"),
)
_WEIGHTS = "aggregator/cohort/weights"
_CURVE = Curve("evaluation/test_average", "accuracy, %", target=70.0)
_VIEWS = (
    Bars(),
    AccuracyHistograms(),
    Curves((_CURVE, Curve("evaluation/test_variance", "variance", logarithmic=True))),
    ParameterSweep("proximal_strength", "strength"),
    Scatter("label_entropy", "test_accuracy", "entropy, nats", "test accuracy, %"),
    ClientCurves((Curve(_WEIGHTS, "weight"),)),
    ClientHistograms("label_entropy", "label entropy, nats"),
    Drawn("experiments.papers.beyond.ranks:draw"),
)


@pytest.fixture
def artifact(tmp_path):
    """Two methods on two data sets; the paper has 50 for A on `mnist` in round 2."""
    file = tmp_path / "paper.csv"
    file.write_text("dataset,method,average\nmnist,A,50\n")
    return toy_artifact(
        title="A figure with <signs> & $numbers$ of $ 5",
        datasets=("mnist", "femnist"),
        variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox"), Variant("C", "fed_prox")),
        metrics=_METRICS,
        paper_files=(file,),
    )


_CLIENTS = {
    "client_id": ["a", "b", "c", "d"],
    "num_train": [1, 2, 3, 4],
    "label_entropy": [0.0, 1.0, 2.0, 1.5],
    "test_accuracy": [0.5, 1.0, math.nan, 0.75],
}


def _run(variant="A", seed=1, accuracy=60.0, strength=0.1, dataset="mnist"):
    """A run of two rounds, whose accuracy goes from half of it to all."""
    own = {} if variant == "A" else {"proximal_strength": strength}
    algorithm = "fed_prox" if own else "fed_avg"
    run = resolve(
        RunConfiguration(algorithm, dataset, rounds=2, learning_rate=0.1, hyperparameters=own)
    )
    rounds = {
        number: {
            **dict.fromkeys(("test_average", "test_weighted_average"), accuracy * share),
            "test_variance": 100.0 * share,
        }
        for number, share in ((0, 0.5), (1, 0.75), (2, 1.0))
    }
    made = record(
        {"test_average": accuracy, "test_variance": 100.0}, rounds, clients=_CLIENTS, run=run
    )
    made.rounds[_WEIGHTS] = [None, json.dumps([0.25, 0.75]), json.dumps([0.5, 0.5])]
    made.rounds["aggregator/cohort/reports/client_index"] = [None, "[0, 3]", "[1, 3]"]
    return ArtifactRun(dataset, variant, seed, run), made


def _all_runs():
    return [
        _run("A", 1, 60.0),
        _run("A", 2, 64.0),
        _run("B", 1, 70.0, strength=0.0),
        _run("C", 1, 80.0, strength=1.0),
    ]


def _source(artifact, runs):
    return FinishedArtifact(artifact, "short", runs)


def _texts(axis) -> list[str]:
    return [text.get_text() for text in axis.texts]


def _legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("view", _VIEWS, ids=lambda view: type(view).__name__)
def test_each_view_draws_and_names_what_stood_in_for_a_data_set(tmp_path, artifact, view):
    """Of ranks, which are over data sets, none has a place of its own; femnist was not run.

    Where nothing was run, that is said.
    """
    artifact = dataclasses.replace(artifact, view=view)
    run, made = _run()
    runs = [(run, dataclasses.replace(made, data_origin="devanagari_letters.npz"))]
    for given, text, is_there in (
        (runs, "(stand-in:", not isinstance(view, Drawn)),
        ([], panels.NO_DATA, True),
    ):
        (path,) = figures.draw(_source(artifact, given), tmp_path / "figure", endings=(".svg",))
        assert (text in path.read_text()) is is_there


def test_the_same_runs_give_the_same_png_and_svg(tmp_path, artifact):
    source = _source(dataclasses.replace(artifact, view=Curves((_CURVE,))), _all_runs())
    first, second = (figures.draw(source, tmp_path / name) for name in "ab")
    assert [path.suffix for path in first] == [".png", ".svg"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    with Image.open(first[0]) as image:
        assert (image.format, image.mode) == ("PNG", "P")
        assert np.asarray(image.convert("L")).std() > 1
    drawing = first[1].read_text()
    assert drawing.startswith("<?xml") and drawing.endswith("</svg>\n")
    assert "&lt;signs&gt; &amp; $numbers$ of $ 5" in drawing


def test_clients_are_found_by_the_nearest_index():
    made = record()
    made.rounds["round"] = [0, 1, 2]
    for name, values in {
        "aggregator/cohort/reports/client_index": [None, "[0, 1]", "[0, 1]"],
        "aggregator/cohort/weights": [None, "[0.5, 0.5]", "[0.1, 0.9]"],
        "client_work/client_index": [None, "[5, 7]", "[7, 9]"],
        "client_work/num_steps": [None, "[2, 3]", "[4, 6]"],
    }.items():
        made.rounds[name] = values
    steps = made.by_client("client_work/num_steps")
    expected = pd.DataFrame({5: [2, math.nan], 7: [3, 4], 9: [math.nan, 6]}, steps.index)
    pd.testing.assert_frame_equal(steps, expected, check_dtype=False)
    assert list(made.by_client("aggregator/cohort/weights")) == [0, 1]
    nameless = dataclasses.replace(made, rounds=made.rounds[["round", "client_work/num_steps"]])
    with pytest.raises(ValueError, match="client_work/num_steps: the run does not say who"):
        nameless.by_client("client_work/num_steps")


def test_bars_stand_at_the_means_and_marks_at_the_papers_numbers(artifact):
    figure = bars.draw(Bars(), _source(artifact, _all_runs()))
    axis = figure.axes[0]
    assert [patch.get_height() for patch in axis.patches] == [62.0, 70.0, 80.0]
    assert axis.get_ylabel() == "average %"
    assert _texts(axis).count("not run") == 3  # On femnist.
    assert axis.patches[0].get_facecolor() == matplotlib.colors.to_rgba(
        style.algorithm_style("fed_avg").color
    )
    assert _legend(figure) == ["A", "B", "C", "± 1 standard deviation over seeds", "the paper"]


_ROUNDS_TO_55 = Metric("rounds_to", "rounds to 55 %", parameter=55.0)
# Of the seeds of A one gets to 60 % in round 2, and the other to 50.
_ONE_GETS_THERE = ((1, 60.0), (2, 50.0))


@pytest.mark.parametrize("datasets", [("mnist",), ("mnist", "femnist")])
def test_a_bar_or_a_point_of_a_sweep_says_of_how_many_seeds_it_is_the_mean(artifact, datasets):
    artifact = dataclasses.replace(
        artifact, datasets=datasets, metrics=(_ROUNDS_TO_55,), paper_files=()
    )
    runs = [_run("A", *run) for run in _ONE_GETS_THERE]
    figure = bars.draw(Bars(), _source(artifact, runs))
    assert _texts(figure.axes[0]).count("1 of 2 seeds") == 1
    runs += [_run("B", *run, strength=0.0) for run in _ONE_GETS_THERE]  # A's is a level line.
    figure = parameter_sweep.draw(ParameterSweep("proximal_strength", "μ"), _source(artifact, runs))
    assert _texts(figure.axes[0]) == ["1 of 2 seeds"] * 2


def test_histograms_count_clients_as_a_mean_over_seeds(artifact):
    """Of three clients with test examples, at 50, 75 and 100 %; the last tenth ends with 100."""
    figure = clients.draw_accuracies(AccuracyHistograms(), _source(artifact, _all_runs()))
    axis = figure.axes[0]
    assert [bar.get_height() for bar in axis.containers[0]] == [0, 0, 0, 0, 0, 1, 0, 1, 0, 1]
    assert _texts(figure.axes[1]) == [panels.NO_DATA]
    assert _legend(figure) == ["A", "B", "C"]


def test_curves_have_the_mean_and_a_band_of_one_deviation(artifact):
    """60 and 64 %: mean 62, sample standard deviation 2√2."""
    figure = curves.draw(Curves((_CURVE,)), _source(artifact, _all_runs()))
    axis, empty = figure.axes
    lines = axis.get_lines()
    assert list(lines[0].get_xdata()) == [0, 1, 2]
    assert list(lines[0].get_ydata()) == [31.0, 46.5, 62.0]
    assert len(axis.collections) == 1  # One method has more than one seed.
    band = axis.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(62 + 2 * math.sqrt(2))
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("round", "accuracy, %")
    points = [
        (line.get_xdata()[0], line.get_ydata()[0]) for line in lines if len(line.get_xdata()) == 1
    ]
    assert points == [(2, 50.0)]  # The paper's.
    levels = [line.get_ydata()[0] for line in lines if len(set(line.get_ydata())) == 1]
    assert levels == [50.0, 70.0]  # The paper's point, and the target.
    assert _texts(empty) == [panels.NO_DATA]
    assert _legend(figure) == ["A", "B", "C", "the paper (marker of the method)", "target"]


def test_a_curve_ends_with_its_shortest_run(artifact):
    """Seed 2 ends after round 1, in which the seeds have 45 and 75 %."""
    run, whole = _run(seed=2, accuracy=100.0)
    ended = dataclasses.replace(whole, rounds=whole.rounds[:2])
    figure = curves.draw(Curves((_CURVE,)), _source(artifact, [_run(seed=1), (run, ended)]))
    assert list(figure.axes[0].get_lines()[0].get_ydata()) == [40.0, 60.0]


def test_a_curve_runs_by_the_rounds_even_if_the_first_seed_lacks_one(artifact):
    """Without a number in round 1; there the other seed has 75 %."""
    run, whole = _run(seed=1)
    with_gap = dataclasses.replace(whole, rounds=whole.rounds.drop(1))
    runs = [(run, with_gap), _run(seed=2, accuracy=100.0)]
    line = curves.draw(Curves((_CURVE,)), _source(artifact, runs)).axes[0].get_lines()[0]
    assert list(line.get_xdata()) == [0, 1, 2]
    assert line.get_ydata()[1] == 75.0


def test_a_band_ends_at_the_least_seed_where_the_axis_is_logarithmic(artifact):
    """Of (0.5, 50), (0.75, 75) and (1, 100) a deviation is more than the mean: down to 0.5."""
    runs = [_run(seed=1, accuracy=1.0), _run(seed=2, accuracy=100.0)]
    curve = dataclasses.replace(_CURVE, logarithmic=True)
    figure = curves.draw(Curves((curve,)), _source(artifact, runs))
    assert figure.axes[0].get_yscale() == "log"
    assert figure.axes[0].collections[0].get_paths()[0].vertices[:, 1].min() == pytest.approx(0.5)


def test_a_sweep_is_ordered_by_the_parameter_and_level_without_it(artifact):
    """On a logarithmic axis 0 stands at the left end."""
    view = ParameterSweep("proximal_strength", "strength")
    runs = [*_all_runs()[:2], _run("B", 1, 70.0, strength=1.0), _run("C", 1, 80.0, strength=0.1)]
    axis = parameter_sweep.draw(view, _source(artifact, runs)).axes[0]
    (container,) = axis.containers
    assert list(container.lines[0].get_xdata()) == [0.1, 1.0] == list(axis.get_xticks())
    assert list(container.lines[0].get_ydata()) == [80.0, 70.0]
    # Of the two seeds of A the others have the first alone.
    assert sum(set(line.get_ydata()) == {60.0} for line in axis.get_lines()) == 1
    assert axis.get_xlabel() == "strength"
    runs.append(_run("B", 2, 90.0, strength=1.0))  # A seed that C lacks.
    axis = parameter_sweep.draw(view, _source(artifact, runs)).axes[0]
    assert list(axis.containers[0].lines[0].get_ydata()) == [80.0, 70.0]
    view = dataclasses.replace(view, logarithmic=True)
    axis = parameter_sweep.draw(view, _source(artifact, _all_runs()[2:])).axes[0]
    assert list(axis.get_xticks()) == [0.1, 1.0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["0", "1"]
    only_0 = _source(artifact, [_run("B", 1, 70.0, strength=0.0)])
    assert len(parameter_sweep.draw(view, only_0).axes[0].get_xticks()) == 1


def test_a_scatter_has_a_point_per_client_and_the_correlation(artifact):
    """Entropy 0, 1, 1.5 and accuracy 50, 100, 75 %: r = 0.6547."""
    view = Scatter("label_entropy", "test_accuracy", "entropy, nats", "test accuracy, %")
    (axis,) = clients.draw_scatter(view, _source(artifact, [_run()])).axes
    (points,) = axis.get_lines()
    assert list(points.get_xdata()) == [0.0, 1.0, 1.5]
    assert list(points.get_ydata()) == [50.0, 100.0, 75.0]
    assert axis.get_title() == "mnist: A\nr = 0.65, 3 clients of one seed"
    for x, y in (([1.0, 1.0, 1.0], [2.0, 4.0, 6.0]), ([1.0, 2.0], [2.0, 4.0])):
        assert clients.correlation([pd.DataFrame({"x": x, "y": y})], "x", "y") == "r not defined"
    rising, falling = (pd.DataFrame({"x": [1, 2, 3], "y": y}) for y in ([1, 2, 3], [2, 1, 0]))
    assert clients.correlation([rising, falling], "x", "y") == "mean r = 0.00"


def test_client_curves_have_a_line_per_client(artifact):
    runs = [_run(seed=2), _run(seed=1)]
    view = ClientCurves((Curve(_WEIGHTS, "weight"), Curve("nonsense", "nothing")))
    figure = clients.draw_curves(view, _source(artifact, runs))
    axis, empty = figure.axes
    drawn = [(list(line.get_xdata()), list(line.get_ydata())) for line in axis.get_lines()]
    assert drawn == [([1], [0.25]), ([2], [0.5]), ([1, 2], [0.75, 0.5])]
    assert axis.get_title() == "mnist: A, seed 1"
    assert _texts(empty) == ["not measured"]
    assert _legend(figure) == ["client 0", "client 1", "client 3"]
    named = dataclasses.replace(view, names=tuple("ABCD"))
    assert _legend(clients.draw_curves(named, _source(artifact, runs))) == ["A", "B", "D"]


def test_many_clients_are_told_apart_by_a_scale(artifact):
    run, made = _run()
    made.rounds["aggregator/cohort/reports/client_index"] = json.dumps(list(range(30)))
    made.rounds[_WEIGHTS] = json.dumps([1 / 30] * 30)
    view = ClientCurves((Curve(_WEIGHTS, "weight"),))
    figure = clients.draw_curves(view, _source(artifact, [(run, made)]))
    assert len(figure.axes) == 2  # The second is the scale of colours.
    assert not figure.legends


def test_client_histograms_have_one_range_for_all_panels(artifact):
    """Entropies 0, 1, 1.5 and 2 of both runs of A."""
    view = ClientHistograms("label_entropy", "label entropy, nats", bins=2)
    runs = _all_runs()[:3]
    figure = clients.draw_histograms(view, _source(artifact, runs))
    assert [[bar.get_height() for bar in axis.patches] for axis in figure.axes] == [[1, 3], [1, 3]]
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim() == (0.0, 2.0)
    assert figure.axes[0].get_title() == "mnist: A\nmean 1.12, 8 clients of 2 seeds"
    run, made = runs[0]
    made = dataclasses.replace(made, clients=made.clients.drop(columns="label_entropy"))
    for draw, drawn in (
        (clients.draw_histograms, view),
        (clients.draw_scatter, Scatter("label_entropy", "test_accuracy", "x", "y")),
    ):
        assert _texts(draw(drawn, _source(artifact, [(run, made)])).axes[0]) == ["not measured"]


def test_several_lines_on_several_data_sets_have_panels_of_their_own(artifact):
    a, b, c = artifact.variants
    grouped = (dataclasses.replace(b, group="one"), dataclasses.replace(c, group="other"))
    artifact = dataclasses.replace(artifact, variants=(a, *grouped))
    runs = [
        _run(variant, 1, 70.0, strength=1.0, dataset=dataset)
        for dataset in artifact.datasets
        for variant in ("A", "B", "C")
    ]
    view = ParameterSweep("proximal_strength", "strength")
    figure = parameter_sweep.draw(view, _source(artifact, runs))
    assert [axis.get_title() for axis in figure.axes] == ["mnist", "mnist", "femnist", "femnist"]
    assert _legend(figure) == ["one", "other", "A", "the paper"]


def test_variants_of_one_algorithm_differ_in_shade_line_and_filling(monkeypatch):
    """The first row has the algorithm's own style, and an attacked algorithm its next variant's.

    Every algorithm declares one: else a new paper would change the colours of committed figures.
    """
    first, second, other = style.line_styles(["fed_avg", "fed_avg", "fed_prox"])
    assert first == style.algorithm_style("fed_avg")
    assert second.marker == first.marker
    assert second.color != first.color
    assert second.line != first.line
    assert (first.is_filled, second.is_filled) == (True, False)
    assert second.marker_face == "white"
    assert other == style.algorithm_style("fed_prox")
    attacked = style.line_styles(["fed_cav", "fed_cav_misreporting"])
    assert attacked == style.line_styles(["fed_cav", "fed_cav"])
    styles = style.method_styles(catalogue.artifacts()["fedfa/table2"])
    assert styles["FedFa"] == style.algorithm_style("fed_fa")
    of_fed_fa = [styles[label] for label in ("FedFa", "FedFa (1, 0)", "FedFa (0, 1)")]
    assert len({one.color for one in of_fed_fa}) == 3
    one = Algorithm("build_one", color="#123456", marker="P")
    monkeypatch.setitem(sys.modules, "mine", types.SimpleNamespace(ONE=one))
    own = style.algorithm_style("mine:ONE")
    assert (own.color, own.marker) == ("#123456", "P")
    for name, algorithm in catalogue.algorithms().items():
        assert algorithm.attacked or (algorithm.color and algorithm.marker), name
