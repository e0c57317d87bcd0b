from __future__ import annotations

import dataclasses
import math

import pytest

from experiments.declaration import Artifact, Claim, Metric, Scale, Variant
from experiments.reporting import markdown
from experiments.reporting.claims import ClaimVerdict, DatasetVerdict
from experiments.reporting.comparison import Cell, Table

_METRIC = Metric("test_average", "average %", "average")
_VARIANCE = Metric(
    "test_variance", "variance", "variance", smaller_is_better=True, read_with="test_average"
)
_ARTIFACT = Artifact(
    name="test/table",
    title="A table",
    datasets=("even", "odd"),
    variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox")),
    scales={"smoke": Scale(2), "short": Scale(3), "paper": Scale(4)},
    metrics=(_METRIC,),
    notes=("A note.",),
)
_TABLES = (
    Table(
        "even",
        None,
        (_METRIC,),
        (
            Cell("even", "A", _METRIC, 55.0, {1: 58.0, 2: 62.0}),
            Cell("even", "B", _METRIC, 50.0, {1: 58.5, 2: 62.5}, chosen="B at 0.1"),
        ),
    ),
    Table(
        "odd",
        None,
        (_METRIC,),
        (
            Cell("odd", "A", _METRIC, 20.0, {1: 10.0, 2: 10.0}),
            Cell("odd", "B", _METRIC, None, {}),
        ),
    ),
)
_COLLAPSED = Table(
    "even",
    7,
    (_VARIANCE,),
    (
        Cell("even", "A", _VARIANCE, 300.0, {1: 30.0}, read_with=12.0, has_collapsed=True),
        Cell("even", "B", _VARIANCE, 200.0, {1: 90.0}, read_with=80.0),
    ),
)


def _page(tables=_TABLES, num_seeds=2):
    return markdown.comparison_markdown(_ARTIFACT, tables, num_seeds=num_seeds, facts=("A fact.",))


def test_the_page_word_for_word():
    lines = _page().splitlines()
    assert lines[:23] == [
        "# test/table: A table",
        "",
        "Ours (mean ± standard deviation over 2 seeds), and the paper's in brackets where it has a "
        "number.",
        "",
        "## even",
        "",
        "| method | average % |",
        "| --- | --- |",
        "| A | 60.00 ± 2.83 (55.00) |",
        "| B = B at 0.1 | 60.50 ± 2.83 (50.00) |",
        "",
        "| method | seed | average % |",
        "| --- | --- | --- |",
        "| A | 1 | 58.00 |",
        "| A | 2 | 62.00 |",
        "| B | 1 | 58.50 |",
        "| B | 2 | 62.50 |",
        "",
        "| metric | A over B in the paper | by | ours | seeds | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
        "| average % | A over B | 5.00 | -0.50 [-0.50, -0.50] | 2 | reversed |",
        "",
        "## odd",
    ]
    assert "| A | 10.00 ± 0.00 (20.00) |" in lines
    assert "| B | not run |" in lines
    assert lines.count("| metric | A over B in the paper | by | ours | seeds | verdict |") == 1
    assert lines[-6] == "- A note."
    assert lines[-5].startswith("- A over B: ")
    assert lines[-1] == "- A fact."


def test_one_seed_has_neither_interval_nor_a_table_of_its_own():
    tables = [
        dataclasses.replace(
            table,
            cells=tuple(
                dataclasses.replace(cell, values={s: x for s, x in cell.values.items() if s == 1})
                for cell in table.cells
            ),
        )
        for table in _TABLES
    ]
    page = _page(tables, num_seeds=1)
    assert "Ours (one seed), and" in page
    assert "| seed |" not in page
    assert "| average % | A over B | 5.00 | -0.50 | 1 | reversed |" in page


def test_without_claims_there_are_no_rules():
    assert "A over B" not in _page(_TABLES[1:])


@pytest.mark.parametrize(
    ("key", "absence"), [("rounds_to", "not reached"), ("test_average", "no number")]
)
def test_what_a_run_has_no_number_of_is_said(key, absence):
    metric = dataclasses.replace(_METRIC, key=key)

    def page(values):
        return _page([Table("even", None, (metric,), (Cell("even", "A", metric, 55.0, values),))])

    assert f"| A | {absence} (55.00) |" in page({1: math.nan, 2: math.nan})
    assert "| A | 8.00 ± 0.00 (2 of 3 seeds) (55.00) |" in page({1: math.nan, 2: 8.0, 3: 8.0})
    assert f"| A | 1 | {absence} |" in page({1: math.nan, 2: 8.0})


def test_a_metric_that_is_not_shown_of_the_data_set_has_no_column():
    of_odd = dataclasses.replace(_VARIANCE, datasets=("odd",), read_with=None)
    tables = [
        Table(
            dataset,
            None,
            (_METRIC, of_odd),
            (
                Cell(dataset, "A", _METRIC, 55.0, {1: 58.0, 2: 62.0}),
                Cell(dataset, "A", of_odd, None, variances),
            ),
        )
        for dataset, variances in {"even": {}, "odd": {1: 30.0, 2: 30.0}}.items()
    ]
    even, odd = _page(tables).split("## odd")
    assert "| A | 60.00 ± 2.83 (55.00) |" in even and "| A | 1 | 58.00 |" in even
    assert "variance" not in even and "not run" not in even
    assert "| method | average % | variance |" in odd
    assert "| A | 60.00 ± 2.83 (55.00) | 30.00 ± 0.00 |" in odd
    assert "| A | 1 | 58.00 | 30.00 |" in odd
    of_artifact = dataclasses.replace(_ARTIFACT, metrics=(_METRIC, of_odd), by_seed=True)
    terminal = markdown.compact_text(of_artifact, tables)
    assert "not run" not in terminal and "no number" not in terminal


def test_a_metric_says_how_many_decimals_are_shown():
    """The mean of 58 and 62 is 60, and their standard deviation 2.8284."""
    metric = dataclasses.replace(_METRIC, decimals=0)
    cell = Cell("even", "A", metric, 55.4, {1: 58.0, 2: 62.0})
    table = Table("even", None, (metric,), (cell,))
    assert "| A | 60 ± 3 (55) |" in _page((table,))


def test_a_collapsed_models_variance_is_shown_with_its_average():
    page = _page([_COLLAPSED], num_seeds=1)
    assert "## even, round 7\n" in page
    assert "| A | 30.00 (300.00), collapsed to 12.00 |" in page
    assert (
        "| variance | B (at 80.00) over A (at 12.00) | 100.00 | -60.00 | 1 | "
        "no verdict: A has collapsed |"
    ) in page
    text = markdown.compact_text(_ARTIFACT, [_COLLAPSED])
    assert "30.00* (300.00)" in text
    assert "variance, the paper's A over B: no verdict: B over A\n" in text
    assert "\n* The average of this method has collapsed" in text
    assert "\nOne seed: " in text


def test_the_terminal_gets_a_block_per_data_set():
    lines = markdown.compact_text(_ARTIFACT, _TABLES).splitlines()
    assert lines[0] == "ours (paper)"
    assert [line.split("  ")[0].strip() for line in lines] == [
        "ours (paper)",
        "even",
        "A",
        "B",
        "average %, the paper's A over B: reversed: A over B",
        "",
        "odd",
        "A",
        "B",
    ]
    assert lines[2].endswith("60.00 ± 2.83 (55.00)")
    assert lines[8].endswith("not run")
    table = [line for line in lines[1:] if line and "paper's" not in line]
    assert len({len(line) for line in table}) == 1  # The columns are aligned.


def test_nothing_is_said_of_a_paper_without_numbers():
    table = Table("odd", None, (_METRIC,), (Cell("odd", "A", _METRIC, None, {1: 1.0}),))
    assert "\nOne seed.\n" in _page([table], num_seeds=1)
    assert markdown.compact_text(_ARTIFACT, [table]).splitlines()[0] == "one seed"


def test_the_terminal_counts_the_claims_that_hold():
    cells = [
        Cell("even", name, _METRIC, x, {1: x, 2: x}) for name, x in zip("ABC", (3.0, 2.0, 1.0))
    ]
    text = markdown.compact_text(_ARTIFACT, [Table("even", None, (_METRIC,), tuple(cells))])
    assert text.splitlines()[-1] == "average %, the paper's A over B: holds: 3 of 3"


def test_the_terminal_shows_every_seed_where_the_artifact_asks_for_it():
    by_seed = dataclasses.replace(_ARTIFACT, by_seed=True)
    lines = markdown.compact_text(by_seed, _TABLES).splitlines()
    assert [line.split() for line in lines[3:5]] == [["seed", "1", "58.00"], ["seed", "2", "62.00"]]
    assert lines[-1].split() == ["seed", "2", "not", "run"]


def test_claims_stand_before_the_tables_and_what_is_missing_after_them():
    """A is 2 ahead with seed 1 and 3 with seed 2: 2.5 ± 12.7 · 0.5."""
    claim = Claim("test/c", "A | is better", "Table 9", "test/table", _METRIC, "A", "B")
    on_even = DatasetVerdict("even", {1: 12.0, 2: 13.0}, {1: 10.0, 2: 10.0})
    verdict = ClaimVerdict(claim, (on_even, DatasetVerdict("odd", missing="not run: B")))
    page = markdown.comparison_markdown(
        _ARTIFACT,
        _TABLES,
        num_seeds=2,
        facts=(),
        judged_claims=[verdict],
        missing=["odd, B: seeds 1, 2"],
    )
    lines = page.splitlines()
    at = lines.index("## Claims")
    assert lines[at + 2 : at + 6] == [
        "| claim | verdict | data set | difference | seeds | on this data set |",
        "| --- | --- | --- | --- | --- | --- |",
        "| A \\| is better (Table 9) | undecided | even | +2.5 [-3.853, +8.853] | 2 | "
        "undecided: within seed noise |",
        "|  |  | odd | – | 0 | undecided: not run: B |",
    ]
    assert at < lines.index("## even") < lines.index("- odd, B: seeds 1, 2")
    assert any(line.startswith("- A claim says") for line in lines)
