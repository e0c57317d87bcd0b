from __future__ import annotations

import dataclasses
import math

import pytest

from experiments.declaration import Metric
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.verdicts import Outcome, judge

_AVERAGE = Metric("test_average", "average %", "average")
_VARIANCE = Metric(
    "test_variance", "variance", "variance", smaller_is_better=True, read_with="test_average"
)


def _judge(*rows, metric=_AVERAGE):
    """Each row is (method, the paper's number, ours by seed)."""
    cells = tuple(
        Cell("even", method, metric, paper, dict(enumerate(ours, start=1)))
        for method, paper, ours in rows
    )
    return judge(Table("even", None, (metric,), cells))


def _outcome(a, b, paper=(70.0, 50.0)):
    """Of the claim that A is over B."""
    (verdict,) = _judge(("A", paper[0], a), ("B", paper[1], b))
    assert (verdict.better.method, verdict.worse.method) == ("A", "B")
    return verdict.outcome


def test_a_pair_is_named_as_the_paper_has_it():
    (verdict,) = _judge(("A", 50.0, [60.0]), ("B", 70.0, [61.0]))
    assert (verdict.better.method, verdict.worse.method) == ("B", "A")
    assert verdict.paper_margin == 20.0
    assert verdict.mean_margin == 1.0
    assert verdict.outcome is Outcome.HOLDS


def test_of_two_variances_the_smaller_is_better():
    (verdict,) = _judge(("A", 900.0, [30.0]), ("B", 400.0, [50.0]), metric=_VARIANCE)
    assert (verdict.better.method, verdict.worse.method) == ("B", "A")
    assert (verdict.paper_margin, verdict.mean_margin) == (500.0, -20.0)
    assert verdict.outcome is Outcome.REVERSED


@pytest.mark.parametrize(("paper", "claims"), [((50.0, 50.05), 0), ((50.0, 50.06), 1)])
def test_what_the_paper_has_within_the_tie_claims_nothing(paper, claims):
    assert len(_judge(("A", paper[0], [1.0]), ("B", paper[1], [2.0]))) == claims


def test_every_pair_that_the_paper_tells_apart_is_a_claim():
    judged = _judge(("A", 3.0, []), ("B", 1.0, []), ("C", None, [9.0]), ("D", 2.0, []))
    pairs = [(verdict.better.method, verdict.worse.method) for verdict in judged]
    assert pairs == [("A", "B"), ("A", "D"), ("D", "B")]


def test_one_collapsed_method_changes_no_verdict_on_the_others():
    """The paper's own numbers for four methods and one that collapsed: every other pair holds."""
    paper = {"A": 80.0, "B": 70.0, "C": 60.0, "D": 50.0, "E": 40.0}
    judged = _judge(*((name, x, [0.0 if name == "A" else x]) for name, x in paper.items()))
    assert len(judged) == 10
    for verdict in judged:
        expected = Outcome.REVERSED if verdict.better.method == "A" else Outcome.HOLDS
        assert verdict.outcome is expected


@pytest.mark.parametrize(
    ("a", "b", "outcome"),
    [
        ([60.0], [50.0], Outcome.HOLDS),
        ([50.0], [60.0], Outcome.REVERSED),
        ([50.0], [50.05], Outcome.TIE),
        ([50.0], [50.07], Outcome.REVERSED),
        ([50.0, 60.0], [50.05, 59.95], Outcome.TIE),
        # Differences 10 and 12: 11 ± 12.7 · 1. As far apart, but 10 and 10.1: 10.05 ± 0.6.
        ([60.0, 62.0], [50.0, 50.0], Outcome.WITHIN_SEED_NOISE),
        ([60.0, 60.1], [50.0, 50.0], Outcome.HOLDS),
        ([50.0, 50.0], [60.0, 60.1], Outcome.REVERSED),
        ([50.0, 60.0], [45.0, 55.0], Outcome.HOLDS),  # Differences of 5 and 5.
        ([], [50.0], Outcome.NOT_RUN),
        ([math.nan], [50.0], Outcome.NO_NUMBER),
        ([math.nan, 60.0], [50.0, 50.0], Outcome.ONE_OF_SEVERAL),
    ],
)
def test_outcomes(a, b, outcome):
    assert _outcome(a, b) is outcome


def _rounds_to(a, b, *, last_round=200):
    """Of the claim that A takes fewer rounds to a target than B: nan where it is not reached."""
    metric = Metric("rounds_to", "rounds", "rounds", parameter=95.0, smaller_is_better=True)
    cells = []
    for method, paper, ours in (("A", 61.0, a), ("B", 133.0, b)):
        values = dict(enumerate(ours, start=1))
        bounds = {seed: last_round + 1.0 for seed, x in values.items() if math.isnan(x)}
        cells.append(Cell("even", method, metric, paper, values, bounds=bounds))
    (verdict,) = judge(Table("even", None, (metric,), tuple(cells)))
    return dict(verdict.margins), verdict.outcome


@pytest.mark.parametrize(
    ("a", "b", "margins", "outcome"),
    [
        # Where B never gets there it is behind by what is left after A did.
        ([96, 90, 93], [math.nan] * 3, {1: 105.0, 2: 111.0, 3: 108.0}, Outcome.HOLDS),
        # 20 ahead once and behind twice: 20, -101, -111.
        (
            [150, math.nan, math.nan],
            [170, 100, 90],
            {1: 20.0, 2: -101.0, 3: -111.0},
            Outcome.WITHIN_SEED_NOISE,
        ),
        # With the second seed neither got there.
        (
            [193, math.nan, 96],
            [math.nan, math.nan, 170],
            {1: 8.0, 2: 0.0, 3: 74.0},
            Outcome.WITHIN_SEED_NOISE,
        ),
        ([96], [math.nan], {1: 105.0}, Outcome.HOLDS),
        ([math.nan] * 2, [math.nan] * 2, {}, Outcome.NO_NUMBER),
    ],
)
def test_a_target_not_reached_is_worse_than_one_that_is(a, b, margins, outcome):
    assert _rounds_to(a, b) == (margins, outcome)


def test_the_interval_is_students():
    """Differences 1, 2, 3: mean 2, standard error 1/√3; t is 4.3027 for 2 degrees of freedom."""
    (verdict,) = _judge(("A", 70.0, [1.0, 2.0, 3.0]), ("B", 50.0, [0.0, 0.0, 0.0]))
    half_width = 4.30265 / math.sqrt(3)
    assert verdict.interval == pytest.approx((2 - half_width, 2 + half_width), rel=1e-5)
    assert verdict.outcome is Outcome.WITHIN_SEED_NOISE


def test_seeds_are_paired_by_their_number():
    """A lacks seed 1. By place its 20 and 30 would stand beside 10 and 21."""
    a = Cell("even", "A", _AVERAGE, 70.0, {2: 20.0, 3: 30.0})
    b = Cell("even", "B", _AVERAGE, 50.0, {1: 10.0, 2: 21.0, 3: 31.0})
    (verdict,) = judge(Table("even", None, (_AVERAGE,), (a, b)))
    assert verdict.margins == {2: -1.0, 3: -1.0}
    assert verdict.outcome is Outcome.REVERSED


def test_no_seed_in_common_is_no_verdict():
    a = Cell("even", "A", _AVERAGE, 70.0, {1: 20.0})
    b = Cell("even", "B", _AVERAGE, 50.0, {2: 10.0})
    (verdict,) = judge(Table("even", None, (_AVERAGE,), (a, b)))
    assert (verdict.margins, verdict.interval) == ({}, None)
    assert verdict.outcome is Outcome.NOT_RUN


@pytest.mark.parametrize(
    ("paper", "variances", "collapsed", "outcome"),
    [
        ((400.0, 900.0), (30.0, 50.0), "A", Outcome.COLLAPSED),  # It would hold.
        ((900.0, 400.0), (30.0, 50.0), "A", Outcome.COLLAPSED),  # It would be reversed.
        # The larger variance of a collapsed model is no merit that it could owe to collapsing.
        ((400.0, 900.0), (30.0, 50.0), "B", Outcome.HOLDS),
        ((900.0, 400.0), (30.0, 50.0), "B", Outcome.REVERSED),
        ((400.0, 900.0), (30.0, 30.0), "A", Outcome.TIE),
    ],
)
def test_a_collapsed_models_small_variance_is_no_merit(paper, variances, collapsed, outcome):
    cells = [
        dataclasses.replace(
            Cell("even", method, _VARIANCE, number, {1: variance}),
            read_with=70.0,
            has_collapsed=method == collapsed,
        )
        for method, number, variance in zip("AB", paper, variances)
    ]
    (verdict,) = judge(Table("even", None, (_VARIANCE,), tuple(cells)))
    assert verdict.outcome is outcome
