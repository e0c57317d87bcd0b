from __future__ import annotations

import collections
import csv
import pathlib

import pytest

from experiments.declaration import (
    SCALES,
    Claim,
    Headline,
    Metric,
    Option,
    Reading,
    SpecificationCurve,
)
from experiments.papers import catalogue
from experiments.papers.common import (
    read_claims,
    read_headline,
    read_notes,
    read_readings,
    rounds_to,
)
from experiments.runs.configuration import Seeds
from experiments.runs.plan import artifact_runs

# What notes of artifacts are given to tell.
_SETTINGS = ("rounds_per_evaluation", "rounds_of_q_fair", "most_windows", "roles", "tweets", "rate")
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
    configurations = [run.configuration for run in runs]
    assert len({(run.configuration, run.step_budget_of) for run in runs}) == len(runs)
    metrics = (metric for table in artifact.tables(scale).values() for metric in table)
    shown = {metric.in_round for metric in metrics} - {None}
    for run in runs:
        assert run.configuration.seeds == Seeds(1, 1, 1, 1)
        for number in shown:
            assert number % run.configuration.rounds_per_evaluation == 0
            # What smoke has not got as far as is shown as not reached.
            assert scale == "smoke" or 1 <= number <= run.configuration.rounds
        if run.step_budget_of is not None:
            assert run.step_budget_of in configurations
            assert run.step_budget_of.algorithm == "fed_veca"
            assert run.step_budget_of.dataset == run.dataset


def test_metrics_differ_and_are_read_with_others_of_the_table(artifact):
    for scale in SCALES:
        for metrics in artifact.tables(scale).values():
            assert len(set(metrics)) == len(metrics)
            for metric in metrics:
                assert metric.read_with is None or metric.read_with in {m.key for m in metrics}


def test_a_data_set_is_not_left_out_of_more_than_a_try_without_a_reason(artifact):
    for name, scale in artifact.scales.items():
        if name != "smoke" and artifact.left_out_at(name):
            assert scale.why_left_out


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


@pytest.mark.parametrize(
    "path",
    sorted({file for artifact in _ALL for file in artifact.paper_files}),
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_the_papers_files_are_whole(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        assert None not in row and None not in row.values(), row


def test_a_metric_is_read_with_the_same_other_everywhere():
    """Else a page shows an even but useless model without the mark that the artifact gives it."""
    shown = [metric for artifact in _ALL for metric in artifact.metrics]
    others = collections.defaultdict(set)
    for metric in shown:
        others[metric.key].add(metric.read_with)
    assert {key: read_with for key, read_with in others.items() if len(read_with) > 1} == {}


def test_notes_are_read_by_the_names_of_their_heading(tmp_path):
    (tmp_path / "notes.md.jinja").write_text(
        "{% set shared %}\nOne of\ntwo lines.\n{% endset %}\n\n"
        "## a, b\n- {{ shared }}\n- {{ rounds }}\n\n## c\n- {{ alone[1] }}\n"
    )
    notes = read_notes(str(tmp_path / "module.py"), rounds=5)
    assert notes["a"] == notes["b"] == ("One of two lines.", "5")
    assert notes["c"][0].startswith("A gain is")


def test_readings_are_read_by_the_names_of_their_fields(tmp_path):
    (tmp_path / "readings.toml").write_text(
        '[[reading]]\nplace = "Eq. 1"\nquestion = "sum"\nwhy = "It says so."\n'
        '[[reading.options]]\nlabel = "of all"\n'
        '[[reading.options]]\nlabel = "of some"\nsettings = { some = 2 }\nalgorithms = ["a"]\n'
    )
    options = (Option("of all"), Option("of some", {"some": 2}, ("a",)))
    found = read_readings(str(tmp_path / "module.py"))
    assert found == (Reading("Eq. 1", "sum", options, "It says so."),)


def test_claims_name_metrics_of_three_places(tmp_path):
    """Targets of rounds, a table of the paper's own, and what its artifacts share."""
    (tmp_path / "metrics.toml").write_text('[mean]\nkey = "test_average"\nlabel = "average %"\n')
    (tmp_path / "claims.csv").write_text(
        "name,artifact,datasets,metric,better,worse,reference,kind,source,statement\n"
        "a,t,,rounds_to_95,A,B,,,T,A.\nb,t,x y,mean,A,,2.5,equal,T,B.\nc,t,,best,A,B,,,T,C.\n"
    )
    best = Metric("best_accuracy", "best %")
    by_rounds, by_mean, by_best = read_claims("p", str(tmp_path / "module.py"), best=best)
    assert by_rounds == Claim("p/a", "A.", "T", "p/t", rounds_to(95), "A", "B")
    mean = Metric("test_average", "average %")
    assert by_mean == Claim("p/b", "B.", "T", "p/t", mean, "A", None, 2.5, ("x", "y"), "equal")
    assert by_best.metric is best


def test_a_headline_is_read_by_its_headings(tmp_path):
    """Slots stay as they are: they are filled in when a page is written."""
    (tmp_path / "headline.md.jinja").write_text(
        "{# Said. #}\n\n## claim\n\nIt\nsays.\n\n## shown\n\n{{ verdict('p/a') }}.\n"
    )
    found = read_headline(str(tmp_path / "module.py"))
    assert found == Headline("It says.", "{{ verdict('p/a') }}.")


def test_every_note_is_on_an_artifact():
    """A heading that is misspelled would say its notes of nothing."""
    packages = pathlib.Path(catalogue.__file__).parent
    for path in packages.glob("*/notes.md.jinja"):
        paper = path.parent.name.replace("_", "")
        names = read_notes(str(path), **dict.fromkeys(_SETTINGS, 1)).keys()
        assert {f"{paper}/{name}" for name in names} <= catalogue.artifacts().keys()
