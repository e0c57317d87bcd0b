from __future__ import annotations

import dataclasses
import math

import pytest
from made_runs import toy_artifact
from records import RUN, record

from experiments.declaration import Artifact, Metric, Scale
from experiments.reporting.comparison import compare, data_label
from experiments.runs.plan import ArtifactRun

_AVERAGE = Metric("test_average", "average %", "average")
_VARIANCE = Metric("test_variance", "variance", "variance")
_READ_WITH = Metric(
    "test_variance", "variance", "variance", smaller_is_better=True, read_with="test_average"
)

_PAPER = """dataset,method,average,variance
even,A,55,100
even,B,70,90
odd,A,20,80
"""


@pytest.fixture
def artifact(tmp_path) -> Artifact:
    (tmp_path / "paper.csv").write_text(_PAPER)
    files = (tmp_path / "paper.csv",)
    return toy_artifact(datasets=("even", "odd"), metrics=(_AVERAGE, _VARIANCE), paper_files=files)


def _result(dataset, variant, average, variance=1.0, seed=1):
    result = None if average is None else {"test_average": average, "test_variance": variance}
    return ArtifactRun(dataset, variant, seed, RUN), None if result is None else record(result)


def _cells(artifact, results):
    return {
        (table.dataset, cell.method, cell.metric.key): cell
        for table in compare(artifact, results, scale="short")
        for cell in table.cells
    }


def test_a_table_names_what_stood_in_for_its_data_set(artifact):
    """Rounds come after it; the data set itself keeps its name, by which the paper's is found."""
    run, made = _result("even", "A", 50.0)
    of_stand_in = dataclasses.replace(made, data_origin="devanagari_letters.npz")
    even, odd = compare(artifact, [(run, of_stand_in)], scale="short")
    assert (even.dataset, even.title) == ("even", "even (stand-in: Devanagari letters)")
    assert odd.title == "odd"
    later = dataclasses.replace(even, round_number=1000)
    assert later.title == "even (stand-in: Devanagari letters), round 1,000"
    assert _cells(artifact, [(run, of_stand_in)])["even", "A", "test_average"].paper == 55.0
    assert data_label("iid", [None, "emnist_all.sqlite"]) == "iid"
    of_two = data_label("iid", ["devanagari_letters.npz", "letters.npz", "letters.npz"])
    assert of_two == "iid (stand-in: Devanagari letters, other letters)"
    in_part = data_label("iid", [None, "devanagari_letters.npz"])
    assert in_part == "iid (stand-in in part: Devanagari letters)"


def test_a_metric_of_one_data_set_says_nothing_of_another(artifact):
    """Both have B's variance, which is shown of even alone; A was not run on either."""
    of_even = dataclasses.replace(_VARIANCE, datasets=("even",))
    shown = dataclasses.replace(artifact, metrics=(_AVERAGE, of_even))
    results = [_result(dataset, "B", 50.0, variance=4.0) for dataset in ("even", "odd")]
    even, odd = compare(shown, results, scale="short")
    assert (even.shown, odd.shown) == ((_AVERAGE, of_even), (_AVERAGE,))
    assert [cell.mean for cell in even.column(of_even)] == [None, 4.0]
    assert [cell.absence for cell in even.column(of_even)] == ["not run", "no number"]
    assert [cell.values for cell in odd.column(of_even)] == [{}, {}]
    assert [cell.absence for cell in odd.column(of_even)] == ["", ""]


def test_a_metric_can_be_beside_another_variants_of_the_same_seed(artifact):
    """Seed 1 of A is missing: paired by place, seed 2's 66 would be beside seed 3's 65."""
    gained = Metric("average_gained", "more than A", compared_with="A")
    artifact = dataclasses.replace(artifact, metrics=(_AVERAGE, gained))
    results = [
        _result("even", "A", None, seed=1),
        _result("even", "A", 60, seed=2),
        _result("even", "A", 65, seed=3),
        _result("even", "B", 50, seed=1),
        _result("even", "B", 66, seed=2),
        _result("even", "B", 64, seed=3),
    ]
    cells = _cells(artifact, results)
    assert cells["even", "B", "average_gained"].values == {2: 6.0, 3: -1.0}
    assert cells["even", "B", "average_gained"].some_of_seeds == "2 of 3 seeds"
    assert cells["even", "A", "average_gained"].values == {2: 0.0, 3: 0.0}
    of_mix = dataclasses.replace(gained, compared_with="A, *")
    assert [of_mix.other(label) for label in ("B, 3 + 7", "B")] == ["A, 3 + 7", "A, "]


def test_the_same_table_after_several_rounds(artifact):
    """Every one is of its round, also what has collapsed."""
    artifact = dataclasses.replace(
        artifact,
        datasets=("even",),
        metrics=(_AVERAGE, _READ_WITH),
        scales={**artifact.scales, "short": Scale(3, rounds_shown=(1, 3))},
    )

    def result(variant, first, last):
        rounds = {
            number: {"test_average": average, "test_variance": 2 * average}
            for number, average in ((1, first), (3, last))
        }
        run = RUN.with_settings(rounds=3)
        return ArtifactRun("even", variant, 1, run), record(rounds=rounds, run=run)

    first, last = compare(artifact, [result("A", 60, 65), result("B", 20, 70)], scale="short")
    assert [first.title, last.title] == ["even, round 1", "even, round 3"]
    assert [cell.mean for cell in first.rows["B"]] == [20, 40]
    assert [cell.paper for cell in first.rows["B"]] == [70.0, 90.0]
    assert [cell.mean for cell in last.rows["B"]] == [70, 140]
    assert first.rows["B"][1].has_collapsed and not last.rows["A"][1].has_collapsed


@pytest.mark.parametrize(
    ("averages", "collapsed"),
    [
        ((0.9, 0.4), (False, True)),
        ((0.9, -math.inf), (False, True)),
        ((-0.2, -0.3), (False, False)),
    ],
)
def test_a_diverged_regression_has_collapsed(artifact, averages, collapsed):
    """By R²; where all are below 0, no method is the measure of another."""
    artifact = dataclasses.replace(artifact, metrics=(_AVERAGE, _READ_WITH))
    runs = [
        _result("even", variant, average, seed=seed)
        for variant, average in zip("AB", averages)
        for seed in (1, 2)
    ]
    cells = _cells(artifact, runs)
    found = [cells["even", variant, "test_variance"].has_collapsed for variant in "AB"]
    assert tuple(found) == collapsed
    of_b = cells["even", "B", "test_average"]
    assert of_b.mean == averages[1] and (of_b.std is None) == math.isinf(averages[1])
