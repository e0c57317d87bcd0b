from __future__ import annotations

import dataclasses
import math

import pytest
from records import record
from scipy import stats

from experiments.declaration import Artifact, Claim, Metric, Scale, Variant
from experiments.reporting import claims
from experiments.reporting.claims import DatasetVerdict, Outcome
from experiments.runs.configuration import RunConfiguration
from experiments.runs.plan import ArtifactRun

_AVERAGE = Metric("test_average", "average %")
_VARIANCE = Metric("test_variance", "variance", smaller_is_better=True, read_with="test_average")
_ROUNDS = Metric("rounds_to", "rounds to 50 %", parameter=50.0, smaller_is_better=True)
_NO_PAIR = "no seed that both have a number for"
_ARTIFACT = Artifact(
    name="toy/table",
    title="A table",
    datasets=("synthetic_iid", "synthetic_1_1"),
    variants=(
        Variant("A", "fed_avg"),
        Variant("A2", "fed_avg"),
        Variant("B", "fed_prox"),
        Variant("C", "fed_prox", datasets=("synthetic_iid",)),
    ),
    scales={"smoke": Scale(2), "short": Scale(3), "paper": Scale(4)},
    metrics=(_AVERAGE,),
    best_of={"best A": ("A", "A2")},
)
_CLAIM = Claim("toy/c", "A is better than B", "here", "toy/table", _AVERAGE, "A", "B")


def _configuration(rounds=10):
    return RunConfiguration("fed_avg", "synthetic_1_1", rounds=rounds, learning_rate=0.1)


def _records(**of_methods):
    """Runs on `synthetic_iid`, and with a name ending in `_11` on `synthetic_1_1`.

    Each method has a result by seed: a number, the average, or a dictionary; or, for a target, the
    rounds' accuracy as a list.
    """
    runs = []
    for name, results in of_methods.items():
        method, _, other = name.partition("_")
        dataset = "synthetic_1_1" if other else "synthetic_iid"
        for seed, result in enumerate(results, start=1):
            if result is None:
                continue
            rounds = None
            if isinstance(result, list):
                rounds = {n: {"test_weighted_average": x} for n, x in enumerate(result)}
                result = {"test_average": result[-1]}
            elif not isinstance(result, dict):
                result = {"test_average": result}
            run = ArtifactRun(dataset, method, seed, _configuration())
            runs.append((run, record(result, rounds, configuration=_configuration())))
    return runs


def _judge(claim=_CLAIM, **of_methods):
    return claims.judge(claim, _ARTIFACT, _records(**of_methods), scale="short")


def _on_iid(claim=_CLAIM, **of_methods):
    return _judge(claim, **of_methods).datasets[0]


@pytest.mark.parametrize("rounding", [0.0, 1e-7])
@pytest.mark.parametrize("seeds", [1, 3])
def test_equal_numbers_are_no_difference_however_many_seeds(seeds, rounding):
    numbers = [10.0, 20.0, 30.0][:seeds]
    verdict = _on_iid(A=[number + rounding for number in numbers], B=numbers)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNDECIDED, "no difference")


@pytest.mark.parametrize(
    ("seeds", "half_width", "outcome"),
    [(2, 3.6680, Outcome.UNDECIDED), (3, 1.0142, Outcome.CONFIRMED)],
)
def test_seeds_that_agree_on_rounds_are_not_certain(seeds, half_width, outcome):
    """Round 1 against 3, with every seed: deviation of the rounding 1/√6.

    t · 1/√6 / √n = 12.7062 · 0.40825 / √2 = 3.668, and 4.30265 · 0.40825 / √3 = 1.0142.
    """
    claim = dataclasses.replace(_CLAIM, metric=_ROUNDS)
    verdict = _on_iid(claim, A=[[0.0, 60.0]] * seeds, B=[[0.0, 1.0, 2.0, 60.0]] * seeds)
    assert verdict.interval == pytest.approx((2 - half_width, 2 + half_width), abs=1e-4)
    assert verdict.outcome is outcome


def test_the_numbers_of_a_data_set():
    """Differences 1, 2, 3: mean 2, standard error 1/√3; t is 4.3027 for 2 degrees of freedom.

    Of the nine pairs of {11, 22, 33} and {10, 20, 30}: 11 > 10; 22 > 10, 20; 33 > all: six.
    """
    verdict = _on_iid(A=[11.0, 22.0, 33.0], B=[10.0, 20.0, 30.0])
    assert verdict.differences == {1: 1.0, 2: 2.0, 3: 3.0}
    assert verdict.mean == 2.0
    half_width = 4.30265 / math.sqrt(3)
    assert verdict.interval == pytest.approx((2 - half_width, 2 + half_width), rel=1e-5)
    assert verdict.probability_of_improvement == pytest.approx(6 / 9)
    low, high = verdict.bootstrap_interval
    assert 1.0 <= low < 2.0 < high <= 3.0
    assert verdict.bootstrap_interval == (low, high)  # The same seed each time.
    assert (verdict.outcome, verdict.reason) == (Outcome.UNDECIDED, "within seed noise")


def test_the_interval_is_that_of_the_paired_test():
    a, b = [60.1, 62.3, 59.0, 61.7], [50.0, 50.9, 49.2, 53.3]
    low, high = _on_iid(A=a, B=b).interval
    for bound in (low, high):  # Against which the test is just significant.
        p = stats.ttest_rel(a, [value + bound for value in b]).pvalue
        assert p == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("a", "b", "outcome"),
    [
        ([60.0, 60.1], [50.0, 50.0], Outcome.CONFIRMED),
        ([50.0, 50.0], [60.0, 60.1], Outcome.CONTRADICTED),
        ([60.0, 62.0], [50.0, 50.0], Outcome.UNDECIDED),  # 11 ± 12.7 · 1.
        ([60.0], [50.0], Outcome.UNDECIDED),  # One seed.
        ([50.0, 60.0], [45.0, 55.0], Outcome.CONFIRMED),  # 5 and 5: no variance.
        ([45.0, 55.0], [50.0, 60.0], Outcome.CONTRADICTED),
        ([50.0, 60.0], [50.0, 60.0], Outcome.UNDECIDED),  # 0 and 0.
        ([], [50.0, 50.0], Outcome.UNDECIDED),
    ],
)
def test_one_data_set(a, b, outcome):
    assert _on_iid(A=a, B=b).outcome is outcome


def test_equal_differences_are_their_own_intervals():
    verdict = _on_iid(A=[50.0, 60.0, 70.0], B=[45.0, 55.0, 65.0])
    assert verdict.interval == verdict.bootstrap_interval == (5.0, 5.0)


def test_all_equal_is_half_an_improvement():
    verdict = _on_iid(A=[50.0, 50.0], B=[50.0, 50.0])
    assert verdict.probability_of_improvement == 0.5
    assert verdict.interval == (0.0, 0.0)


_UP, _DOWN, _NOISE = ([60.0, 60.1],), ([40.0, 40.1],), ([40.0, 60.0],)


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (_UP, _UP, Outcome.CONFIRMED),
        (_UP, _NOISE, Outcome.IN_PART),
        (_UP, _DOWN, Outcome.IN_PART),
        (_UP, ([],), Outcome.IN_PART),
        (_DOWN, _NOISE, Outcome.CONTRADICTED),
        (_DOWN, _DOWN, Outcome.CONTRADICTED),
        (_NOISE, _NOISE, Outcome.UNDECIDED),
        (([],), ([],), Outcome.NOT_RUN),
    ],
)
def test_all_data_sets_together(first, second, outcome):
    b = [50.0, 50.0]
    verdict = _judge(A=first[0], B=b, A_11=second[0], B_11=b)
    assert [d.dataset for d in verdict.datasets] == ["synthetic_iid", "synthetic_1_1"]
    assert verdict.outcome is outcome


def test_a_claim_is_about_the_data_sets_that_it_names():
    claim = dataclasses.replace(_CLAIM, datasets=("synthetic_iid",))
    verdict = _judge(claim, A=[60.0, 60.1], B=[50.0, 50.0], A_11=[1.0, 1.0], B_11=[2.0, 2.0])
    assert verdict.outcome is Outcome.CONFIRMED
    assert verdict.sentence == "A is better than B (here): confirmed, confirmed on 1 of 1 data sets"


def test_without_names_it_is_about_those_that_both_methods_are_run_on():
    claim = dataclasses.replace(_CLAIM, worse="C")
    verdict = _judge(claim, A=[60.0, 60.1], C=[50.0, 50.0], A_11=[1.0, 1.0])
    assert [d.dataset for d in verdict.datasets] == ["synthetic_iid"]
    assert verdict.outcome is Outcome.CONFIRMED


def test_a_data_set_that_the_scale_leaves_out_is_undecided():
    scales = {**_ARTIFACT.scales, "short": Scale(3, datasets=("synthetic_iid",))}
    artifact = dataclasses.replace(_ARTIFACT, scales=scales)
    records = _records(A=[60.0, 60.1], B=[50.0, 50.0])
    verdict = claims.judge(_CLAIM, artifact, records, scale="short")
    assert verdict.outcome is Outcome.IN_PART
    assert verdict.datasets[1].reason == "not run at this scale"


def test_what_was_not_run_is_not_undecided():
    """B on no data set, and then on one, with too few seeds to say anything."""
    assert _judge(_CLAIM, A=[60.0, 60.1]).outcome is Outcome.NOT_RUN
    assert _judge(_CLAIM, A=[60.0], B=[50.0]).outcome is Outcome.UNDECIDED


def test_seeds_are_paired_by_their_number():
    """A lacks seed 1. By place its 20 and 30 would stand beside 10 and 21."""
    verdict = _on_iid(A=[None, 20.0, 30.0], B=[10.0, 21.0, 31.0])
    assert verdict.differences == {2: -1.0, 3: -1.0}
    assert verdict.outcome is Outcome.CONTRADICTED


def test_what_was_not_run_is_named():
    assert _on_iid(A=[1.0]).reason == "not run: B"
    assert _on_iid().reason == "not run: A, B"
    assert _on_iid(A=[1.0], B=[2.0]).reason == "one seed"
    assert _on_iid(A=[1.0], B=[None, 2.0]).reason == _NO_PAIR


def test_a_target_that_is_not_reached_is_worse_than_one_that_is():
    """Of ten rounds: A reaches it in rounds 2 and 3, B never, which counts as 11 and 11."""
    claim = dataclasses.replace(_CLAIM, metric=_ROUNDS)
    never = [0.0, 1.0, 2.0, 3.0]
    verdict = _on_iid(claim, A=[[0.0, 1.0, 60.0], [0.0, 1.0, 2.0, 50.0]], B=[never, never])
    assert verdict.differences == {1: 9.0, 2: 8.0}
    assert verdict.probability_of_improvement == 1.0
    turned = dataclasses.replace(claim, better="B", worse="A")
    assert _on_iid(turned, A=[[60.0], [60.0]], B=[never, never]).outcome is Outcome.CONTRADICTED


def test_a_target_that_neither_reaches_is_no_difference():
    """Of ten rounds one seed saves ten: 5 ± 12.7062 · 5."""
    claim = dataclasses.replace(_CLAIM, metric=_ROUNDS)
    never = [0.0, 1.0]
    verdict = _on_iid(claim, A=[never, [0.0, 60.0]], B=[never, never])
    assert verdict.differences == {1: 0.0, 2: 10.0}
    assert verdict.interval == pytest.approx((5 - 63.531, 5 + 63.531), rel=1e-5)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNDECIDED, "within seed noise")
    assert _on_iid(claim, A=[[0.0, 60.0]], B=[never]).reason == "one seed"


def test_a_target_that_no_seed_reaches_decides_nothing():
    """Evaluated in every round: 0 ± 12.7062 · √(2/12)/√2."""
    claim = dataclasses.replace(_CLAIM, metric=_ROUNDS)
    never = [0.0, 1.0]
    verdict = _on_iid(claim, A=[never, never], B=[never, never])
    assert verdict.differences == {1: 0.0, 2: 0.0}
    assert verdict.interval == pytest.approx((-3.66797, 3.66797), rel=1e-5)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNDECIDED, "target not reached")
    one = _on_iid(claim, A=[never], B=[never])
    assert (one.interval, one.reason) == (None, "target not reached")
    assert _on_iid(claim, A=[never], B=[None, never]).reason == _NO_PAIR


def test_a_number_that_is_not_defined_is_no_pair():
    verdict = _on_iid(A=[math.nan, 60.0, 60.0], B=[50.0, 50.0, 50.0])
    assert verdict.differences == {2: 10.0, 3: 10.0}


def test_a_target_never_reached_is_held_against_a_number_as_well():
    claim = dataclasses.replace(_CLAIM, metric=_ROUNDS, worse=None, reference=5.0)
    verdict = _on_iid(claim, A=[[0.0, 0.0, 60.0], [0.0]])
    assert verdict.differences == {1: 3.0, 2: -6.0}


def test_a_method_can_be_held_against_a_number():
    claim = dataclasses.replace(_CLAIM, worse=None, reference=50.0)
    verdict = _on_iid(claim, A=[52.0, 52.2, 49.0])
    assert verdict.differences == pytest.approx({1: 2.0, 2: 2.2, 3: -1.0})
    assert verdict.probability_of_improvement == pytest.approx(2 / 3)
    assert _on_iid(claim, A=[52.0, 52.1]).outcome is Outcome.CONFIRMED


def test_a_best_of_row_is_the_best_by_the_artifacts_first_metric():
    """A2 has the better average, and the worse variance, which is the one that counts here."""
    claim = dataclasses.replace(_CLAIM, better="best A", metric=_VARIANCE)

    def runs(average, variance):
        return [{"test_average": average, "test_variance": v} for v in (variance, variance + 1)]

    verdict = _on_iid(claim, A=runs(60.0, 10.0), A2=runs(61.0, 30.0), B=runs(60.0, 20.0))
    assert verdict.differences == {1: -10.0, 2: -10.0}
    assert verdict.outcome is Outcome.CONTRADICTED


def test_multiples_of_another_method_are_of_the_same_seed():
    """A is 2 and 3 times C, B is 1 and 1."""
    metric = dataclasses.replace(_AVERAGE, relative_to="C")
    claim = dataclasses.replace(_CLAIM, metric=metric)
    verdict = _on_iid(claim, A=[20.0, 60.0], B=[10.0, 20.0], C=[10.0, 20.0])
    assert verdict.differences == {1: 1.0, 2: 2.0}


def test_the_other_can_be_measured_by_a_metric_of_its_own():
    """A is 2 and 3 times C, B is 1 and 2 times A2."""
    relative = [dataclasses.replace(_AVERAGE, relative_to=label) for label in ("C", "A2")]
    claim = dataclasses.replace(_CLAIM, metric=relative[0], worse_metric=relative[1])
    verdict = _on_iid(claim, A=[20.0, 60.0], C=[10.0, 20.0], B=[30.0, 40.0], A2=[30.0, 20.0])
    assert (verdict.better, verdict.worse) == ({1: 2.0, 2: 3.0}, {1: 1.0, 2: 2.0})


@pytest.mark.parametrize(
    ("average", "variances", "outcome", "collapsed"),
    [
        ((80.0, 80.0), (10.0, 20.0), Outcome.CONFIRMED, None),
        ((39.0, 80.0), (10.0, 20.0), Outcome.UNDECIDED, "A"),
        ((80.0, 39.0), (20.0, 10.0), Outcome.UNDECIDED, "B"),
        # The larger variance of a collapsed model is no merit that it could owe to collapsing.
        ((39.0, 80.0), (20.0, 10.0), Outcome.CONTRADICTED, None),
        ((80.0, 39.0), (10.0, 20.0), Outcome.CONFIRMED, None),
    ],
)
def test_a_collapsed_models_small_variance_is_no_merit(average, variances, outcome, collapsed):
    claim = dataclasses.replace(_CLAIM, metric=_VARIANCE)
    a, b = (
        [{"test_average": mean, "test_variance": variance}] * 2
        for mean, variance in zip(average, variances)
    )
    verdict = _on_iid(claim, A=a, B=b)
    assert verdict.outcome is outcome
    assert verdict.collapsed == collapsed
    assert verdict.reason == (f"{collapsed} has collapsed" if collapsed else "")


def test_a_round_of_its_own_is_read_whatever_the_artifact_shows():
    """The artifact shows rounds 1 and 2; the claim reads the last."""
    scales = {**_ARTIFACT.scales, "short": Scale(3, rounds_shown=(1, 2))}
    artifact = dataclasses.replace(_ARTIFACT, scales=scales)
    verdict = claims.judge(_CLAIM, artifact, _records(A=[2.0, 2.0], B=[1.0, 1.0]), scale="short")
    assert verdict.datasets[0].differences == {1: 1.0, 2: 1.0}


def test_another_artifacts_claim_is_refused():
    claim = dataclasses.replace(_CLAIM, artifact="toy/other")
    with pytest.raises(ValueError, match="is about toy/other, not toy/table"):
        claims.judge(claim, _ARTIFACT, [], scale="short")


def test_a_data_set_without_numbers_has_no_statistics():
    verdict = DatasetVerdict("synthetic_iid", missing="not run: A")
    assert verdict.mean is None
    assert verdict.interval is None
    assert verdict.bootstrap_interval is None
    assert verdict.probability_of_improvement is None
