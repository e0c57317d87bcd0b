from __future__ import annotations

import csv

import pytest

from experiments.artifacts import ARTIFACTS, SCALES
from experiments.artifacts import artifact as artifact_module
from experiments.configuration import Seeds

_ARTIFACTS = list(ARTIFACTS.values())


@pytest.fixture(params=_ARTIFACTS, ids=lambda artifact: artifact.name)
def artifact(request):
    return request.param


def test_every_run_is_a_configuration_of_its_own(artifact):
    for scale in SCALES:
        runs = list(artifact.runs(scale, (1, 2)))
        assert len(runs) == 2 * len(artifact.datasets) * len(artifact.variants)
        assert len({run.configuration.to_json() for run in runs}) == len(runs)
        assert {run.configuration.rounds for run in runs} == {artifact.rounds[scale]}


def test_a_seed_seeds_everything(artifact):
    for run in artifact.runs("smoke", (3, 5)):
        assert run.configuration.seeds == Seeds(run.seed, run.seed, run.seed, run.seed)


def test_scales_grow(artifact):
    rounds = [artifact.rounds[scale] for scale in SCALES]
    assert rounds == sorted(rounds)
    costs = [artifact.estimated_minutes(scale, 1, 2) for scale in SCALES]
    assert costs == sorted(costs)
    assert artifact.estimated_minutes("paper", 2, 2) == pytest.approx(2 * costs[-1])


def test_labels_are_unique_and_best_of_rows_name_variants(artifact):
    labels = [variant.label for variant in artifact.variants]
    assert len(set(labels)) == len(labels)
    for label, candidates in artifact.best_of.items():
        assert label not in labels
        assert set(candidates) <= set(labels)


def test_the_papers_numbers_are_for_rows_of_the_table(artifact):
    """A label that is misspelled would leave the paper's column empty."""
    rows = {variant.label for variant in artifact.variants} | set(artifact.best_of)
    datasets_with_numbers = set()
    for dataset, method, _ in artifact.paper_values():
        if dataset in artifact.datasets:
            assert method in rows, method
            datasets_with_numbers.add(dataset)
    if artifact.paper_files:
        assert datasets_with_numbers == set(artifact.datasets)


@pytest.mark.parametrize(
    "path", sorted(artifact_module._PAPER_RESULTS.glob("*.csv")), ids=lambda path: path.stem
)
def test_the_papers_files_are_whole(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        assert None not in row and None not in row.values(), row


def test_the_papers_table_2_is_read():
    values = ARTIFACTS["fedfa/table2"].paper_values()
    assert values["synthetic_1_1", "FedFa", "test_average"] == 76.88
    assert values["synthetic_iid", "FedAvg", "test_worst_20"] == 78.17
