from __future__ import annotations

import dataclasses
import math

import pytest

from experiments.artifacts import Artifact, ArtifactRun, Metric, Variant
from experiments.artifacts import artifact as artifact_module
from experiments.configuration import RunConfiguration
from experiments.reporting.comparison import best_variant, compare

_AVERAGE = Metric("test_average", "average %", "average")
_VARIANCE = Metric("test_variance", "variance", "variance")
_CONFIGURATION = RunConfiguration("fed_avg", "synthetic_1_1", rounds=2, learning_rate=0.1)

# By hand: on "even", ours puts A (60) before B (50), the paper B (70) before A (55).
_PAPER = """dataset,method,average,variance
even,A,55,100
even,B,70,90
odd,A,20,80
"""


@pytest.fixture
def artifact(tmp_path, monkeypatch) -> Artifact:
    monkeypatch.setattr(artifact_module, "_PAPER_RESULTS", tmp_path)
    (tmp_path / "paper.csv").write_text(_PAPER)
    return Artifact(
        name="test/table",
        title="A table",
        datasets=("even", "odd"),
        variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox")),
        rounds={"smoke": 2, "short": 3, "paper": 4},
        metrics=(_AVERAGE, _VARIANCE),
        paper_files=("paper.csv",),
    )


def _result(dataset, variant, average, variance=1.0, seed=1):
    result = None if average is None else {"test_average": average, "test_variance": variance}
    return ArtifactRun(dataset, variant, seed, _CONFIGURATION), result


def _cells(artifact, results):
    cells = compare(artifact, results)
    return {(cell.dataset, cell.method, cell.metric.key): cell for cell in cells}


def test_a_cell_for_every_data_set_method_and_metric(artifact):
    assert list(_cells(artifact, [])) == [
        ("even", "A", "test_average"),
        ("even", "B", "test_average"),
        ("even", "A", "test_variance"),
        ("even", "B", "test_variance"),
        ("odd", "A", "test_average"),
        ("odd", "B", "test_average"),
        ("odd", "A", "test_variance"),
        ("odd", "B", "test_variance"),
    ]


def test_mean_deviation_and_difference(artifact):
    cells = _cells(
        artifact, [_result("even", "A", value, seed=seed) for seed, value in enumerate((58, 62))]
    )
    cell = cells["even", "A", "test_average"]
    assert cell.values == (58.0, 62.0)
    assert cell.mean == 60.0
    assert cell.std == pytest.approx(math.sqrt(8))  # ((−2)² + 2²) / (2 − 1)
    assert cell.paper == 55.0
    assert cell.difference == 5.0


def test_one_seed_has_no_deviation(artifact):
    assert _cells(artifact, [_result("even", "A", 60)])["even", "A", "test_average"].std is None


def test_what_was_not_run_has_no_number(artifact):
    cell = _cells(artifact, [_result("even", "A", None)])["even", "A", "test_average"]
    assert (cell.values, cell.mean, cell.std, cell.difference) == ((), None, None, None)
    assert (cell.paper, cell.paper_rank, cell.our_rank) == (55.0, None, None)


def test_ranks_count_from_the_largest_number(artifact):
    cells = _cells(
        artifact,
        [_result("even", "A", 60, 5.0), _result("even", "B", 50, 7.0), _result("odd", "A", 10)],
    )
    ranks = {key: (cell.paper_rank, cell.our_rank) for key, cell in cells.items()}
    assert ranks["even", "A", "test_average"] == (2, 1)
    assert ranks["even", "B", "test_average"] == (1, 2)
    assert ranks["even", "A", "test_variance"] == (1, 2)
    assert ranks["even", "B", "test_variance"] == (2, 1)
    assert ranks["odd", "A", "test_average"] == (1, 1)  # Alone, for the paper has no B there.
    assert ranks["odd", "B", "test_average"] == (None, None)


def test_a_best_of_row_shows_the_variant_with_the_best_first_metric(artifact):
    artifact = dataclasses.replace(artifact, best_of={"A": (), "best": ("A", "B")})
    results = [
        _result("even", "A", 60, 5.0),
        _result("even", "B", 65, 7.0),
        _result("odd", "A", 10, 3.0),
        _result("odd", "B", 9, 4.0),
    ]
    cells = _cells(artifact, results)
    assert cells["even", "best", "test_average"].chosen == "B"
    assert cells["even", "best", "test_variance"].mean == 7.0
    assert cells["odd", "best", "test_variance"].chosen == "A"
    assert cells["even", "A", "test_average"].chosen is None


def test_the_best_variant_is_that_of_the_largest_mean_over_seeds(artifact):
    by_variant = {
        ("even", "A"): [{"test_average": 10}, {"test_average": 50}],
        ("even", "B"): [{"test_average": 31}, {"test_average": 31}],
    }
    assert best_variant(artifact, by_variant, "even", ("A", "B")) == "B"
    assert best_variant(artifact, by_variant, "even", ("A",)) == "A"
    assert best_variant(artifact, by_variant, "odd", ("A", "B")) is None


def test_seeds_that_never_get_there_are_left_out_of_the_mean(artifact):
    results = [_result("even", "A", value) for value in (10.0, math.nan, 20.0)]
    cell = _cells(artifact, results)["even", "A", "test_average"]
    assert len(cell.values) == 3
    assert cell.reached == (10.0, 20.0)
    assert cell.mean == 15.0


def test_a_metric_can_be_a_multiple_of_another_variants(artifact):
    relative = Metric("test_variance", "times A's", relative_to="A")
    artifact = dataclasses.replace(artifact, metrics=(_AVERAGE, relative))
    cells = _cells(artifact, [_result("even", "A", 60, 4.0), _result("even", "B", 50, 6.0)])
    assert cells["even", "B", "test_variance"].mean == 1.5
    assert cells["even", "A", "test_variance"].mean == 1.0
