"""Tests of `experiments.reporting.verdicts`: from runs to pairs, and to what is judged."""

from __future__ import annotations

import dataclasses
import io
import math

import pandas as pd
import pytest
from made_runs import toy_artifact
from records import record

from experiments.declaration import Artifact, Claim, Metric, Scale, Variant
from experiments.reporting.comparison import Cell, Table, compare
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.metrics.definition import FIVE_PER_CENT, POINTS
from experiments.reporting.pairs import Reason, pair
from experiments.reporting.verdicts import (
    verdict_on_claim,
    verdicts_csv,
    verdicts_on,
    verdicts_on_differences,
    verdicts_on_pairs,
)
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import resolve
from experiments.runs.plan import ArtifactRun

_AVERAGE = Metric("test_average", "average %", "average")
_VARIANCE = Metric(
    "test_variance", "variance", "variance", smaller_is_better=True, read_with="test_average"
)
_ROUNDS = Metric("rounds_to", "rounds to 50 %", parameter=50.0, smaller_is_better=True)
_RUN = resolve(RunConfiguration("fed_avg", "synthetic_1_1", rounds=10, learning_rate=0.1))
_PAPER = """dataset,method,average,variance
synthetic_iid,A,70,100
synthetic_iid,B,60,90
synthetic_iid,C,60.05,90
synthetic_1_1,A,50,80
synthetic_1_1,B,55,
"""


@pytest.fixture
def artifact(tmp_path) -> Artifact:
    (tmp_path / "paper.csv").write_text(_PAPER)
    return toy_artifact(
        datasets=("synthetic_iid", "synthetic_1_1"),
        variants=(
            Variant("A", "fed_avg"),
            Variant("B", "fed_prox"),
            Variant("C", "fed_prox", datasets=("synthetic_iid",)),
        ),
        metrics=(_AVERAGE, _VARIANCE),
        paper_files=(tmp_path / "paper.csv",),
    )


def _claim(**fields):
    given = {"metric": _AVERAGE, "better": "A", "worse": "B", **fields}
    return Claim("toy/c", "A is better than B", "here", "toy/table", **given)


def _finished(artifact, runs):
    return FinishedArtifact(artifact, "paper", runs)


def _run(method, seed, average, *, dataset="synthetic_iid", **result):
    run = ArtifactRun(dataset, method, seed, _RUN)
    numbers = {"test_average": average, "test_variance": 9.0, **result}
    return run, record(numbers, {1: numbers})


def _runs(numbers, **fields):
    """Runs by method and seed, from the methods' averages."""
    return [
        _run(method, seed, average, **fields)
        for method, averages in numbers.items()
        for seed, average in enumerate(averages, start=1)
    ]


def test_a_missed_target_counts_as_its_bound_and_two_as_the_smaller_one():
    """Seed 1: 3, over 8; 2: over 5, over 8; 3: no bound; 4: 2, 4; 5: 9, over 8, maybe 9."""
    never = math.nan
    first = {1: 3.0, 2: never, 3: never, 4: 2.0, 5: 9.0}
    second = {1: never, 2: never, 3: never, 4: 4.0, 5: never}
    cells = (
        Cell("iid", "A", _ROUNDS, None, first, bounds={2: 5.0, 3: 5.0}, step=2.0),
        Cell("iid", "B", _ROUNDS, None, second, bounds={1: 8.0, 2: 8.0, 5: 8.0}, step=1.0),
    )
    found = pair(Table("iid", None, (_ROUNDS,), cells), _ROUNDS, "A", "B")
    assert found.better == {1: 3.0, 2: 5.0, 4: 2.0, 5: 8.0}
    assert found.worse == {1: 8.0, 2: 5.0, 4: 4.0, 5: 8.0}
    assert (found.censored, found.undecided) == ({1, 2, 5}, {2, 5})
    assert found.least_deviation == pytest.approx(math.sqrt(5 / 12))
    assert found.margin == FIVE_PER_CENT


def test_only_seeds_of_both_methods_are_paired(artifact):
    """A run whose model never changed decides nothing: seed 4 of A."""
    runs = [_run("A", 1, 60.0), _run("A", 2, 61.0), _run("B", 2, 50.0), _run("B", 3, 51.0)]
    runs += [_run("A", 4, 90.0, model_never_changed=True), _run("B", 4, 10.0)]
    iid, _ = compare(artifact, runs, scale="short")
    found = pair(iid, _AVERAGE, "A", "B")
    assert (found.differences, found.margin) == ({2: 11.0}, POINTS)
    assert pair(iid, _AVERAGE, "A", "C").missing == "not run: C"
    assert pair(iid, _AVERAGE, "A", None, reference=55.0).differences == {1: 5.0, 2: 6.0}


@pytest.mark.parametrize("averages", [(60.0, 29.0), (29.0, 60.0)])
def test_a_small_variance_of_a_collapsed_model_is_no_merit(artifact, averages):
    """29 is below half of 60, and its variance is the smaller one."""
    runs = [
        _run(method, 1, average, test_variance=average) for method, average in zip("AB", averages)
    ]
    iid, _ = compare(artifact, runs, scale="short")
    assert pair(iid, _VARIANCE, "A", "B").barred is Reason.COLLAPSED


@pytest.mark.parametrize("lost", [math.nan, math.inf])
def test_a_number_that_is_not_finite_decides_nothing(artifact, lost):
    iid, _ = compare(artifact, _runs({"A": [60.0, lost], "B": [50.0] * 2}), scale="short")
    assert pair(iid, _AVERAGE, "A", "B").barred is Reason.NO_NUMBER
    runs = _runs({"A": [60.0, 61.0], "B": [50.0, 51.0, lost]})  # A lacks the last seed.
    iid, _ = compare(artifact, runs, scale="short")
    assert pair(iid, _AVERAGE, "A", "B").barred is None


def test_a_claim_is_about_the_data_sets_of_both_its_methods(artifact):
    runs = _runs({"A": [60.0] * 5, "B": [50.0] * 5, "C": [50.0] * 5})
    on_both = verdict_on_claim(_claim(), _finished(artifact, runs))
    assert on_both.datasets == ("synthetic_iid", "synthetic_1_1")
    assert on_both.judgement.text == "holds"  # On the one that was run.
    on_one = verdict_on_claim(_claim(worse="C"), _finished(artifact, runs))
    assert on_one.datasets == ("synthetic_iid",)
    assert verdict_on_claim(_claim(), _finished(artifact, [])).judgement.text == "not run"
    number = verdict_on_claim(_claim(worse=None, reference=59.0), _finished(artifact, runs))
    assert (number.worse, number.judgement.text) == ("59", "holds")
    equal = verdict_on_claim(_claim(kind="equal", better="C"), _finished(artifact, runs))
    assert equal.judgement.text == "holds"
    other = dataclasses.replace(artifact, name="toy/other")
    with pytest.raises(ValueError, match="toy/other"):
        verdict_on_claim(_claim(), _finished(other, []))


def test_a_claim_about_a_target(artifact):
    """The runs of five rounds reach 50 % in round 2, and never."""
    runs = []
    for method, accuracies in (("A", (10.0, 40.0, 60.0)), ("B", (10.0, 40.0, 45.0))):
        for seed in range(1, 6):
            rounds = {n: {"test_weighted_average": x} for n, x in enumerate(accuracies)}
            made = record({"test_average": 50.0}, rounds, run=_RUN)
            runs.append((ArtifactRun("synthetic_iid", method, seed, _RUN), made))
    found = verdict_on_claim(_claim(metric=_ROUNDS), _finished(artifact, runs)).judgement
    (on_iid,) = found.run
    assert on_iid.pair.mean == 11.0 - 2.0
    assert (found.text, on_iid.reason) == ("leans for (5 of 5 seeds)", Reason.NOT_REACHED)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "open: fewer rounds than the paper"),
        ({"source": "Control"}, "holds"),
        ({"metric": dataclasses.replace(_AVERAGE, in_round=1)}, "holds"),
    ],
)
def test_fewer_rounds_than_the_paper_decide_only_what_more_cannot_change(artifact, fields, text):
    """The scale has one round on these data, and the paper's two."""
    runs = [
        (run, record({"test_average": average}, {1: {"test_average": average}}))
        for method, average in (("A", 60.0), ("B", 50.0))
        for run in (ArtifactRun("synthetic_iid", method, s, _RUN) for s in range(5))
    ]
    claim = dataclasses.replace(_claim(), **fields)
    short = Scale(2, on_datasets={"synthetic_iid": {"rounds": 1}})
    shorter = dataclasses.replace(artifact, scales={**artifact.scales, "short": short})
    assert verdict_on_claim(claim, FinishedArtifact(shorter, "short", runs)).judgement.text == text


@pytest.mark.parametrize(
    ("over", "its"),
    [("all rounds", {"evaluated_every": {5}}), ("last round", {"ended_early": True})],
)
def test_numbers_of_other_rounds_decide_nothing(over, its):
    metric = dataclasses.replace(_AVERAGE, over=over)
    ours = Cell("iid", "A", metric, None, {1: 2.0}, evaluated_every=frozenset([1]))
    cells = (ours, dataclasses.replace(ours, method="B", **its))
    found = pair(Table("iid", None, (metric,), cells), metric, "A", "B")
    assert found.barred is Reason.OTHER_ROUNDS


@pytest.mark.parametrize(("values", "is_barred"), [((2.0, 3.0), False), ((math.nan,) * 2, True)])
def test_a_target_that_a_run_reached_needs_no_more_rounds(values, is_barred):
    cells = tuple(
        Cell("iid", method, _ROUNDS, None, {1: value}, bounds={1: 5.0} if value != value else {})
        for method, value in zip("AB", values)
    )
    found = pair(Table("iid", None, (_ROUNDS,), cells, is_short=True), _ROUNDS, "A", "B")
    assert (found.barred is Reason.FEWER_ROUNDS) is is_barred


def test_pairs_are_what_the_papers_table_says(artifact):
    """A over B and C on IID data, B over A on the other; B and C differ by 0.05 at most.

    By variance B and C are better than A; their own variances are equal.
    """
    verdicts = verdicts_on_pairs(_finished(artifact, _runs({"A": [60.0] * 5, "B": [50.0] * 5})))
    found = {(v.metric.key, v.better, v.worse): v for v in verdicts}
    assert list(found) == [
        ("test_average", "A", "B"),
        ("test_average", "A", "C"),
        ("test_variance", "B", "A"),
        ("test_variance", "C", "A"),
        ("test_average", "B", "A"),
    ]
    a_over_b = found["test_average", "A", "B"]
    assert (a_over_b.datasets, a_over_b.paper_differences) == (("synthetic_iid",), (10.0,))
    assert a_over_b.judgement.text == "holds"
    assert found["test_average", "A", "C"].judgement.text == "not run"


def test_differences_are_from_the_reference(artifact):
    compared = dataclasses.replace(artifact, reference="B", paper_files=())
    runs = _runs({"A": [60.0, 61.0], "B": [50.0, 51.0]})
    found = verdicts_on_differences(_finished(compared, runs))
    assert [(v.better, v.worse, v.metric) for v in found] == [
        ("A", "B", _AVERAGE),
        ("A", "B", _VARIANCE),
        ("C", "B", _AVERAGE),
        ("C", "B", _VARIANCE),
    ]
    assert found[0].judgement.text == "leans for (2 of 2 seeds)"
    shown = {"paper": dataclasses.replace(compared.scales["paper"], rounds_shown=(1,))}
    after = dataclasses.replace(compared, scales={**compared.scales, **shown})
    assert [v.metric.in_round for v in verdicts_on_differences(_finished(after, runs))] == [1] * 4
    assert verdicts_on_differences(_finished(artifact, runs)) == []


def test_every_verdict_is_a_row(artifact):
    """Differences of 1 to 5, and the paper's 10."""
    runs = _runs({"A": [51.0, 52.0, 53.0, 54.0, 55.0], "B": [50.0] * 5})
    verdicts = verdicts_on(_finished(artifact, runs), [_claim()])
    rows = pd.read_csv(io.StringIO(verdicts_csv({("toy/table", "short"): verdicts})))
    assert set(zip(rows["artifact"], rows["scale"])) == {("toy/table", "short")}
    claim = rows[rows["name"] == "toy/c"]
    assert list(claim["dataset"]) == ["synthetic_iid", "synthetic_1_1"]
    assert list(claim["verdict"]) == ["holds", "holds"]
    assert list(claim["verdict_on_dataset"]) == ["holds", "not run"]
    of_pair = rows[rows["name"] == "pair"].iloc[0]
    numbers = of_pair[["paper_difference", "mean_difference", "interval_low", "num_seeds"]]
    assert numbers.tolist() == pytest.approx([10.0, 3.0, 1.0368, 5], abs=1e-4)
    assert of_pair["p_value"] == pytest.approx(0.01324, abs=1e-5)
    assert list(pd.read_csv(io.StringIO(verdicts_csv({}))).columns) == list(rows.columns)
