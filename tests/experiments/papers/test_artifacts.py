from __future__ import annotations

import collections
import pathlib

import pytest

from experiments.declaration import SCALES, SpecificationCurve
from experiments.papers import catalogue
from experiments.papers.folder import read_notes
from experiments.runs.configuration import Seeds
from experiments.runs.plan import artifact_runs

# What notes of artifacts are given to tell.
_SETTINGS = (
    *("rounds_per_evaluation", "rounds_of_q_fair", "most_windows", "roles", "tweets", "rate"),
    "least_rounds",
)
_ALL = list(catalogue.artifacts().values())


@pytest.fixture(params=_ALL, ids=lambda artifact: artifact.name)
def artifact(request):
    return request.param


@pytest.mark.parametrize("scale", SCALES)
def test_runs_differ_and_are_evaluated_where_they_are_shown(artifact, scale):
    """Each has a configuration of its own, and one seed for everything."""
    runs = list(artifact_runs(artifact, scale, (1,)))
    assert [(run.dataset, run.variant) for run in runs] == [
        (dataset, variant.label)
        for dataset in artifact.datasets_at(scale)
        for variant in artifact.variants
        if variant.is_run_on(dataset)
    ]
    planned = [run.resolved for run in runs]
    assert len({(run.resolved, run.step_budget_of) for run in runs}) == len(runs)
    metrics = (metric for table in artifact.tables(scale).values() for metric in table)
    shown = {metric.in_round for metric in metrics} - {None}
    for run in runs:
        assert run.resolved.configuration.seeds == Seeds(1, 1, 1, 1)
        for number in shown:
            assert number % run.resolved.configuration.rounds_per_evaluation == 0
            # What smoke has not got as far as is shown as not reached.
            assert scale == "smoke" or 1 <= number <= run.resolved.configuration.rounds
        if run.step_budget_of is not None:
            assert run.step_budget_of in planned
            assert run.step_budget_of.configuration.algorithm == "fed_veca"
            assert run.step_budget_of.configuration.dataset == run.dataset


def test_metrics_differ_and_a_data_set_is_left_out_for_a_reason(artifact):
    """A metric is read with another one of its table; a mere try needs no reason."""
    for scale in SCALES:
        if scale != "smoke" and artifact.left_out_at(scale):
            assert artifact.scales[scale].why_left_out
        for metrics in artifact.tables(scale).values():
            assert len(set(metrics)) == len(metrics)
            for metric in metrics:
                assert metric.read_with is None or metric.read_with in {m.key for m in metrics}


def test_the_papers_numbers_are_for_rows_of_the_table(artifact):
    """A label that is misspelled would leave the paper's column empty."""
    is_curve = isinstance(artifact.view, SpecificationCurve)
    rows = set(catalogue.artifacts()[artifact.view.of if is_curve else artifact.name].methods)
    datasets_with_numbers = set()
    for dataset, method, _ in artifact.paper_values():
        if dataset in artifact.datasets:
            assert method in rows, method
            datasets_with_numbers.add(dataset)
    if artifact.paper_files:
        assert datasets_with_numbers == set(artifact.datasets)


def test_a_metric_is_read_with_the_same_other_everywhere():
    """Else a page shows an even but useless model without the mark that the artifact gives it."""
    shown = [metric for artifact in _ALL for metric in artifact.metrics]
    others = collections.defaultdict(set)
    for metric in shown:
        others[metric.key].add(metric.read_with)
    assert {key: read_with for key, read_with in others.items() if len(read_with) > 1} == {}


def test_every_note_is_on_an_artifact():
    """A heading that is misspelled would say its notes of nothing."""
    packages = pathlib.Path(catalogue.__file__).parent
    for path in packages.glob("*/notes.md.jinja"):
        paper = path.parent.name.replace("_", "")
        names = read_notes(str(path), **dict.fromkeys(_SETTINGS, 1)).keys()
        assert {f"{paper}/{name}" for name in names} <= catalogue.artifacts().keys()
