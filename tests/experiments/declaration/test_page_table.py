from __future__ import annotations

import dataclasses

import pytest

from experiments.declaration import (
    Artifact,
    Metric,
    Numbers,
    PageTable,
    Paper,
    Runs,
    Scale,
    Shown,
    Variant,
)

_NUMBERS = Numbers(
    Runs("toy/table", "short", (1,)),
    "synthetic_1_1",
    ("A",),
    (Metric("test_average", "average %"),),
)


def test_cells_that_are_no_text_are_numbers():
    table = PageTable("toy/page", ("method", "average"), (("A", _NUMBERS), ("alone", "–")))
    assert table.numbers == (_NUMBERS,)


def test_there_must_be_a_seed():
    with pytest.raises(ValueError, match="runs of toy/table: seeds must not be empty"):
        Runs("toy/table", "short", ())


@pytest.mark.parametrize("name", ["methods", "metrics"])
def test_there_must_be_something_to_show(name):
    with pytest.raises(ValueError, match=rf"numbers of toy/table: {name} must not be empty"):
        dataclasses.replace(_NUMBERS, **{name: ()})


@pytest.mark.parametrize("methods", [("A",), ("A", "B", "C")])
def test_a_difference_is_of_two_methods(methods):
    with pytest.raises(ValueError, match=r"methods must be two for a difference, got \('A',"):
        dataclasses.replace(_NUMBERS, methods=methods, shown=Shown.DIFFERENCE)


def test_a_range_is_shown_with_the_same_decimals():
    metrics = (*_NUMBERS.metrics, Metric("test_variance", "variance", decimals=0))
    with pytest.raises(ValueError, match=r"decimals of metrics must be the same .*got \[0, 2\]"):
        dataclasses.replace(_NUMBERS, metrics=metrics, shown=Shown.RANGE)


def test_there_must_be_such_a_scale():
    with pytest.raises(ValueError, match=r"runs of toy/table: scale must be one of .*got 'shrot'"):
        dataclasses.replace(_NUMBERS.runs, scale="shrot")


@pytest.mark.parametrize(
    ("rows", "message"),
    [((), "none"), ((("A",),), r"\[1\]"), ((("A", _NUMBERS), ("B",)), r"\[1, 2\]")],
)
def test_rows_are_as_long_as_the_header(rows, message):
    with pytest.raises(ValueError, match=f"toy/page: rows must have 2 cells.* rows of {message}"):
        PageTable("toy/page", ("method", "average"), rows)


_ARTIFACT = Artifact(
    name="toy/table",
    title="A table",
    datasets=("synthetic_1_1",),
    variants=(Variant("A", "fed_avg"),),
    scales={name: Scale(1) for name in ("smoke", "short", "paper")},
    metrics=_NUMBERS.metrics,
)


def _paper(*tables):
    return Paper("toy", "Toy", "Nobody", artifacts=(_ARTIFACT,), page_tables=tables)


def _table(numbers, name="toy/page"):
    return PageTable(name, ("average",), ((numbers,),))


def test_a_paper_has_tables_of_its_artifacts():
    assert len(_paper(_table(_NUMBERS), _table(_NUMBERS, "toy/other")).page_tables) == 2


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([_table(_NUMBERS, "other/page")], "must begin with 'toy/', got 'other/page'"),
        ([_table(_NUMBERS)] * 2, r"page_tables of toy: names must differ, got \['toy/page'\]"),
        (
            [_table(dataclasses.replace(_NUMBERS, methods=("B",)))],
            "table toy/page: 'B' is not a method of toy/table, which has",
        ),
        (
            [_table(dataclasses.replace(_NUMBERS, dataset="mnist"))],
            "table toy/page: 'mnist' is not a data set of toy/table",
        ),
        (
            [_table(dataclasses.replace(_NUMBERS, runs=Runs("toy/none", "short", (1,))))],
            r"table toy/page: artifact must be one of \['toy/table'\], got 'toy/none'",
        ),
    ],
)
def test_what_does_not_fit_is_named(tables, message):
    with pytest.raises(ValueError, match=message):
        _paper(*tables)
