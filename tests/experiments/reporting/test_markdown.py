from __future__ import annotations

import math

from experiments.artifacts import Artifact, Metric, Variant
from experiments.reporting import markdown
from experiments.reporting.comparison import Cell

_METRIC = Metric("test_average", "average %", "average")
_ARTIFACT = Artifact(
    name="test/table",
    title="A table",
    datasets=("even", "odd"),
    variants=(Variant("A", "fed_avg"), Variant("B", "fed_prox")),
    rounds={"smoke": 2, "short": 3, "paper": 4},
    metrics=(_METRIC,),
    notes=("A note.",),
)
_CELLS = (
    Cell("even", "A", _METRIC, 55.0, (58.0, 62.0), paper_rank=2, our_rank=1),
    Cell("even", "B", _METRIC, None, (50.0,), chosen="B at 0.1"),
    Cell("odd", "A", _METRIC, 20.0, (10.0, 10.0), paper_rank=1, our_rank=1),
    Cell("odd", "B", _METRIC, 30.0, ()),
)


def _page(cells=_CELLS, num_seeds=2):
    return markdown.comparison_markdown(_ARTIFACT, cells, num_seeds=num_seeds, facts=("A fact.",))


def test_the_page_word_for_word():
    assert _page() == (
        "# test/table: A table\n"
        "\n"
        "| data set | method | metric | paper | ours (mean ± std over 2 seeds) | difference | "
        "same ranking? |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| even | A | average % | 55.00 | 60.00 ± 2.83 | +5.00 | no (2 there, 1 here) |\n"
        "| even | B = B at 0.1 | average % | – | 50.00 | – | – |\n"
        "| odd | A | average % | 20.00 | 10.00 ± 0.00 | -10.00 | yes (1) |\n"
        "| odd | B | average % | 30.00 | not run | – | – |\n"
        "\n"
        "- A note.\n"
        "- A fact.\n"
    )


def test_one_seed_is_no_seeds():
    assert "over 1 seed)" in _page(num_seeds=1)


def test_a_target_that_is_not_reached_is_no_number():
    nobody = Cell("even", "A", _METRIC, 55.0, (math.nan, math.nan))
    somebody = Cell("even", "A", _METRIC, 55.0, (math.nan, 8.0, 8.0))
    assert "| not reached | – |" in _page([nobody])
    assert "| 8.00 ± 0.00 (2 of 3 seeds) | -47.00 |" in _page([somebody])


def test_the_terminal_gets_a_block_per_data_set():
    lines = markdown.compact_text(_ARTIFACT, _CELLS).splitlines()
    assert lines[0] == "ours (paper)"
    assert [line.split("  ")[0].strip() for line in lines] == [
        "ours (paper)",
        "even",
        "A",
        "B",
        "",
        "odd",
        "A",
        "B",
    ]
    assert lines[2].endswith("60.00 ± 2.83 (55.00)")
    assert lines[7].endswith("not run (30.00)")
    assert len({len(line) for line in lines[1:] if line}) == 1  # The columns are aligned.
