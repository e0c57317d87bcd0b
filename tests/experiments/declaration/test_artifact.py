from __future__ import annotations

import dataclasses

import pytest
from made_runs import toy_artifact

from experiments.declaration import Metric, Scale, Tuning, Variant

_AVERAGE = Metric("test_average", "average %", paper_column="average")
_ARTIFACT = toy_artifact(metrics=(_AVERAGE, Metric("test_variance", "variance")))


@pytest.fixture
def with_file(tmp_path):
    """An artifact with a file of the paper's numbers, of this text."""

    def write(text, **parts):
        file = tmp_path / "table.csv"
        file.write_text(text)
        return dataclasses.replace(_ARTIFACT, paper_files=(file,), **parts)

    return write


def test_the_papers_numbers_are_those_of_the_columns_that_metrics_name(with_file):
    """An empty field is no number, and a column that no metric names is for another artifact."""
    artifact = with_file("dataset,method,average,other\nsynthetic_iid,A,80.5,x\nmnist,B,,1\n")
    assert artifact.paper_values() == {("synthetic_iid", "A", "average"): 80.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"dataset, method and some of \['average'\], .* got None"),
        ("dataset,method,average %\nd,A,1\n", r"some of \['average'\], .*'average %'\]"),
        ("dataset,average\nd,1\n", r"got \['dataset', 'average'\]"),
        ("method,average\nA,1\n", r"got \['method', 'average'\]"),
        ("dataset,method,average\nd,A,80 %\n", "could not convert string to float: '80 %'"),
        ("dataset,method,average\nd,A,nan\n", "has 'nan' or two values"),
        ("dataset,method,average\nd,A,1\nd,A,2\n", "has '2' or two values"),
    ],
)
def test_a_file_that_says_nothing_of_the_metrics_is_named(with_file, text, message):
    with pytest.raises(ValueError, match=rf"toy/table: paper_files: .*table\.csv: .*{message}"):
        with_file(text).paper_values()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"scales": {"short": Scale(1)}}, r"scales must be \('smoke', .*got \('short',\)"),
        ({"variants": (Variant("A", "fed_avg"),) * 2}, r"labels must differ, got \['A', 'A'\]"),
        (
            {"tuning": Tuning((0.1,)), "variants": (Variant("B", "fed_avg", step_budget_of="B"),)},
            "step_budget_of and tuning exclude each other",
        ),
        ({"reference": "Z"}, r"there is no variant 'Z', only \['A', 'B'\]"),
        *(
            (parts, r"'mnist' is none of its \('synthetic_iid',\)")
            for parts in (
                {"on_datasets": {"mnist": {}}},
                {"variants": (Variant("A", "fed_avg", datasets=("mnist",)),)},
                {"metrics": (dataclasses.replace(_AVERAGE, datasets=("mnist",)),)},
                {"scales": {**_ARTIFACT.scales, "short": Scale(1, on_datasets={"mnist": {}})}},
                {"scales": {**_ARTIFACT.scales, "short": Scale(1, datasets=("mnist",))}},
            )
        ),
    ],
)
def test_parts_that_do_not_fit_together_are_named(parts, message):
    with pytest.raises(ValueError, match=f"toy/table: {message}"):
        dataclasses.replace(_ARTIFACT, **parts)
