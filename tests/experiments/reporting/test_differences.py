from __future__ import annotations

import dataclasses
import io
import math

import numpy as np
import pandas as pd
import pytest
from records import record
from scipy import stats

from experiments.declaration import ONLY_SCALE, Artifact, Scale, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS
from experiments.reporting import csv_tables, differences
from experiments.reporting.artifact_files import write_artifact
from experiments.reporting.comparison import compare
from experiments.runs.configuration import RunConfiguration
from experiments.runs.plan import ArtifactRun

_AVERAGE, *_, _VARIANCE = FAIRNESS_METRICS
_ARTIFACT = Artifact(
    name="toy/table",
    title="A table",
    datasets=("synthetic_iid",),
    variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox"), Variant("C", "fed_prox")),
    scales={ONLY_SCALE: Scale(2)},
    metrics=(_AVERAGE, _VARIANCE),
    reference="A",
)
_CONFIGURATION = RunConfiguration("fed_avg", "synthetic_iid", rounds=2, learning_rate=0.1)


def _records(**of_methods):
    """Runs by method, an (average, variance) for each seed, None where it was not run."""
    return [
        (
            ArtifactRun("synthetic_iid", method, seed, _CONFIGURATION),
            None
            if numbers is None
            else record(
                {"test_average": numbers[0], "test_variance": numbers[1]},
                configuration=_CONFIGURATION,
            ),
        )
        for method, of_seeds in of_methods.items()
        for seed, numbers in enumerate(of_seeds, start=1)
    ]


def _found(artifact=_ARTIFACT, **of_methods):
    records = _records(**of_methods)
    tables = compare(artifact, records, scale=ONLY_SCALE)
    found = differences.differences(artifact, tables)
    return tables, found


def _by_method_and_metric(**of_methods):
    _, found = _found(**of_methods)
    return {(each.method, each.metric.key): each for each in found["synthetic_iid"]}


def test_a_metric_that_is_not_shown_of_the_data_set_is_not_judged():
    elsewhere = dataclasses.replace(_VARIANCE, datasets=("synthetic_1_1",))
    artifact = dataclasses.replace(
        _ARTIFACT, datasets=("synthetic_iid", "synthetic_1_1"), metrics=(_AVERAGE, elsewhere)
    )
    of_methods = {method: [(50, 30), (60, 40)] for method in "ABC"}
    _, found = _found(artifact, **of_methods)
    of_iid = [(each.method, each.metric) for each in found["synthetic_iid"]]
    assert of_iid == [("B", _AVERAGE), ("C", _AVERAGE)]


def test_by_hand():
    """B's averages are 1, 2 and 3 above A's: mean 2, standard error 1/√3, t 4.3027.

    B's variances are 10 below A's in every seed: better, with an interval of that one number. C's
    variances are 1, 2 and 9 above: mean 4, standard error √19/√3, so that 0 is in the interval.
    """
    found = _by_method_and_metric(
        A=[(50, 30), (60, 40), (70, 50)],
        B=[(51, 20), (62, 30), (73, 40)],
        C=[(50, 31), (60, 42), (70, 59)],
    )
    assert list(found) == [(m, k) for m in "BC" for k in ("test_average", "test_variance")]
    average, variance = found["B", "test_average"], found["B", "test_variance"]
    assert average.mean == 2.0
    half_width = 4.30265 / math.sqrt(3)
    assert average.interval == pytest.approx((2 - half_width, 2 + half_width), rel=1e-5)
    assert average.outcome == "undecided: within seed noise"
    assert (variance.mean, variance.interval, variance.outcome) == (-10.0, (-10.0, -10.0), "better")
    assert found["C", "test_average"].interval == (0.0, 0.0)
    assert found["C", "test_average"].outcome == "undecided: no difference"
    worse = found["C", "test_variance"]
    assert worse.mean == 4.0
    assert worse.interval[0] < 0 < worse.interval[1]


def test_it_is_the_paired_t_test_on_random_numbers():
    """Where scipy's test finds p < 0.05 it is decided, with the sign of the mean, and else not."""
    generator = np.random.default_rng(3)
    decided = 0
    for _ in range(20):
        numbers = generator.normal([[60, 30]], 3, size=[4, 2])
        others = numbers + generator.normal([[2, -2]], 2, size=[4, 2])
        found = _by_method_and_metric(A=numbers, B=others)
        for column, metric in enumerate((_AVERAGE, _VARIANCE)):
            each = found["B", metric.key]
            pairs = others[:, column] - numbers[:, column]
            half = stats.t.ppf(0.975, 3) * np.std(pairs, ddof=1) / math.sqrt(4)
            assert each.mean == pytest.approx(np.mean(pairs))
            assert each.interval == pytest.approx((each.mean - half, each.mean + half))
            is_good = (each.mean > 0) != metric.smaller_is_better
            if stats.ttest_rel(others[:, column], numbers[:, column]).pvalue < 0.05:
                decided += 1
                assert each.outcome == ("better" if is_good else "worse")
            else:
                assert each.outcome.startswith("undecided")
    assert 0 < decided < 40


def test_the_small_variance_of_a_collapsed_model_is_no_merit():
    found = _by_method_and_metric(A=[(80, 50), (82, 50)], B=[(10, 1), (12, 2)])
    assert found["B", "test_variance"].outcome == "undecided: B has collapsed"


def test_what_rounding_makes_is_no_difference():
    """A variance that is larger by 10⁻⁹ in every seed would be worse beyond all noise."""
    found = _by_method_and_metric(A=[(80, 5), (82, 6)], B=[(80, 5 + 1e-9), (82, 6 + 1e-9)])
    each = found["B", "test_variance"]
    assert each.outcome == "undecided: no difference"
    assert differences.rows([each])[1][0][2] == "+0.00 [+0.00, +0.00]"


def test_what_was_not_run_is_said():
    found = _by_method_and_metric(A=[(80, 5), (82, 5)], B=[None, None], C=[(81, 5), None])
    assert (found["B", "test_average"].mean, found["B", "test_average"].outcome) == (
        None,
        "undecided: not run: B",
    )
    assert found["C", "test_average"].outcome == "undecided: one seed"


def test_without_a_reference_nothing_is_compared():
    tables, found = _found(
        dataclasses.replace(_ARTIFACT, reference=None), A=[(1, 1), (2, 2)], B=[(1, 1), (2, 2)]
    )
    assert found == {}
    assert differences.lines(_ARTIFACT, found) == []
    with pytest.raises(ValueError, match="no variant 'Z'"):
        dataclasses.replace(_ARTIFACT, reference="Z")
    assert tables


def _write(folder, **of_methods):
    variants = tuple(v for v in _ARTIFACT.variants if v.label in of_methods)
    artifact = dataclasses.replace(_ARTIFACT, variants=variants)
    runs, records = zip(*_records(**of_methods))
    files = write_artifact(artifact, runs, records, folder, scale=ONLY_SCALE, facts=())
    return files, files.table.read_text(), pd.read_csv(folder / "differences.csv")


def test_they_stand_in_the_files_and_on_the_terminal(tmp_path):
    files, page, table = _write(
        tmp_path, A=[(50, 30), (60, 40)], B=[(55, 20), (65, 30)], C=[(50, 30), (60, 41)]
    )
    assert files.judged == ("differences.csv",)
    assert "Difference from A, paired by seed: mean over the seeds [95% t interval]" in files.text
    lines = [" ".join(line.split()) for line in files.text.splitlines()]
    assert "B average % +5.00 [+5.00, +5.00] better" in lines
    assert "variance -10.00 [-10.00, -10.00] better" in lines
    assert "| B | variance | -10.00 [-10.00, -10.00] | 2 | better |" in page
    assert all(rule in page for rule in differences.RULES)
    assert table["mean_difference"].tolist() == [5.0, -10.0, 0.0, 0.5]
    assert table["verdict"].tolist()[:2] == ["better", "better"]
    assert set(table["reference"]) == {"A"} and set(table["num_seeds"]) == {2}


def test_one_seed_cannot_tell(tmp_path):
    files, page, table = _write(tmp_path, A=[(50, 30)], B=[(55, 20)])
    assert files.text.count(differences.ONE_SEED) == page.count(differences.ONE_SEED) == 1
    assert "paired by seed" not in files.text + page
    assert table["verdict"].tolist() == ["undecided: one seed"] * 2
    assert table["interval_low"].isna().all()


def test_a_single_method_is_compared_with_nothing(tmp_path):
    files, page, table = _write(tmp_path, A=[(50, 30)])
    assert differences.ONE_SEED not in files.text + page
    assert table.empty


def test_the_csv_is_empty_but_for_its_header_without_tables():
    text = csv_tables.differences_csv(_ARTIFACT, [], {})
    assert list(pd.read_csv(io.StringIO(text)))[:3] == ["dataset", "round", "metric"]


def test_without_the_reference_there_is_nothing_to_say():
    _, found = _found(A=[None, None], B=[(60.0, 1.0), (61.0, 1.0)], C=[None, None])
    assert found == {"synthetic_iid": []}
    assert differences.lines(_ARTIFACT, found) == []
