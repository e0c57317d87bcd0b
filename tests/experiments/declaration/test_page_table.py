from __future__ import annotations

import dataclasses

import pytest

from experiments.declaration import Metric, Numbers, PageTable, Paper, Runs, Shown

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
def test_a_lead_is_of_one_method_over_another(methods):
    with pytest.raises(ValueError, match=r"methods must be two for a lead, got \('A',"):
        dataclasses.replace(_NUMBERS, methods=methods, shown=Shown.LEAD)


@pytest.mark.parametrize(
    ("rows", "message"),
    [((), "none"), ((("A",),), r"\[1\]"), ((("A", _NUMBERS), ("B",)), r"\[1, 2\]")],
)
def test_rows_are_as_long_as_the_header(rows, message):
    with pytest.raises(ValueError, match=f"toy/page: rows must have 2 cells.* rows of {message}"):
        PageTable("toy/page", ("method", "average"), rows)


def test_its_name_begins_with_the_papers():
    table = PageTable("other/page", ("average",), ((_NUMBERS,),))
    with pytest.raises(ValueError, match="must begin with 'toy/', got 'other/page'"):
        Paper(name="toy", title="Toy", citation="Nobody", page_tables=(table,))
