from __future__ import annotations

import dataclasses
import shutil

import pytest
from made_runs import write_run

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
from experiments.reporting.finished import RunFolders
from experiments.reporting.page_tables import (
    names_on,
    table_markdown,
    with_tables,
    without_tables,
)
from experiments.runs.plan import artifact_runs
from experiments.runs.run_directory import run_directory

_AVERAGE = Metric("test_average", "average %", "average", decimals=1)
_VARIANCE = Metric("test_variance", "variance", read_with="test_average", decimals=0)
_TO_55 = Metric("rounds_to", "rounds to 55 %", parameter=55.0, decimals=0)
_DATASET = "synthetic_iid"
# By method and seed; `write_run` makes every number of the last round this one.
_AVERAGES = {("A", 1): 60.25, ("A", 2): 61.25, ("B", 1): 50.0, ("B", 2): 54.0}
_COLLAPSED = {("C", 1): 20.0, ("C", 2): 24.0}


@pytest.fixture
def artifact(tmp_path):
    """A and B in two rounds with two seeds; the paper has a number of A alone."""
    file = tmp_path / "paper.csv"
    file.write_text(f"dataset,method,average\n{_DATASET},A,1060.04\n{_DATASET},B,\n")
    return Artifact(
        name="toy/table",
        title="A table",
        datasets=(_DATASET, "synthetic_1_1"),
        variants=tuple(Variant(each, f"fed_{name}") for each, name in _NAMES.items()),
        scales={"smoke": Scale(1), "short": Scale(2), "paper": Scale(4)},
        metrics=(Metric("test_average", "average %", "average"),),
        paper_files=(file,),
    )


_NAMES = {"A": "avg", "B": "prox", "C": "nova"}


@pytest.fixture
def find(artifact, tmp_path):
    """Both seeds of all methods on the first data set alone."""
    averages = {**_AVERAGES, **_COLLAPSED}
    for run in artifact_runs(artifact, "short", (1, 2)):
        if run.dataset == _DATASET:
            write_run(tmp_path / "runs", run.configuration, averages[run.variant, run.seed])
    return RunFolders((tmp_path / "runs",), ()).find


_RUNS = Runs("toy/table", "short", (1, 2))


def _numbers(*methods, metric=_AVERAGE, dataset=_DATASET, **parts):
    of_runs = {name: parts.pop(name) for name in ("artifact", "scale", "seeds") if name in parts}
    return Numbers(dataclasses.replace(_RUNS, **of_runs), dataset, methods, (metric,), **parts)


def _text(artifact, find, numbers):
    """What stands in the only cell."""
    table = PageTable("toy/page", ("shown",), ((numbers,),))
    header, _, row, *notes = table_markdown(table, {artifact.name: artifact}, find).splitlines()
    assert header == "| shown |"
    return row.removeprefix("| ").removesuffix(" |"), notes


@pytest.mark.parametrize(
    ("shown", "methods", "expected"),
    [
        (Shown.MEAN, ("A", "B"), "60.8, 52.0"),
        (Shown.DEVIATION, ("A",), "60.8 ± 0.7"),
        (Shown.PAPER, ("A", "B"), "1,060.0, –"),
        (Shown.BESIDE_PAPER, ("A", "B"), "60.8 ± 0.7 (1,060.0), 52.0 ± 2.8"),
        (Shown.SEEDS, ("B",), "50.0, 54.0"),
        (Shown.RANGE, ("A", "B"), "50.0, 61.2"),
    ],
)
def test_what_is_shown_of_the_seeds(artifact, find, shown, methods, expected):
    """A has 60.25 and 61.25, of which the mean is 60.75 and the deviation 1 / √2; B's is 4 / √2.

    61.25 is a tie in binary, too, and ties go to the even digit.
    """
    assert _text(artifact, find, _numbers(*methods, shown=shown)) == (expected, [])


def test_a_difference_is_paired_by_seed(artifact, find):
    """B less A is −10.25 and −7.25: −8.75, and 12.706 · 1.5 to either side of it."""
    shown, _ = _text(artifact, find, _numbers("B", "A", shown=Shown.DIFFERENCE))
    assert shown == r"−8.8 \[−27.8, 10.3\]"


def test_one_seed_has_neither_deviation_nor_interval(artifact, find):
    of_seed = _numbers("A", seeds=(2,), shown=Shown.DEVIATION)
    assert _text(artifact, find, of_seed)[0] == "61.2"
    lead = _numbers("A", "B", seeds=(2,), shown=Shown.DIFFERENCE)
    assert _text(artifact, find, lead)[0] == "7.2"


def test_neither_difference_nor_range_is_made_of_what_was_not_reached(artifact, find):
    """B does not get to 55 %, wherever it stands."""
    for shown in (Shown.DIFFERENCE, Shown.RANGE):
        for methods in (("A", "B"), ("B", "A")):
            numbers = _numbers(*methods, metric=_TO_55, shown=shown)
            with pytest.raises(ValueError, match=r"B on synthetic_iid has no 'rounds to 55 %'"):
                _text(artifact, find, numbers)


def test_nothing_has_no_sign(artifact, find):
    lead = _numbers("A", "A", shown=Shown.DIFFERENCE)
    assert _text(artifact, find, lead)[0] == r"0.0 \[0.0, 0.0\]"


def test_a_target_that_was_not_reached(artifact, find):
    """A reaches 55 % in round 2, B not; of two that do not it is said once."""
    to_55 = {"metric": _TO_55, "shown": Shown.SEEDS}
    assert _text(artifact, find, _numbers("A", "B", **to_55))[0] == "2, 2, –, –"
    assert _text(artifact, find, _numbers("B", "C", **to_55))[0] == "–"
    assert _text(artifact, find, _numbers("B", metric=_TO_55))[0] == "–"
    beside = dataclasses.replace(_TO_55, paper_column="average")
    assert _text(artifact, find, _numbers("A", metric=beside, shown=Shown.BESIDE_PAPER))[0] == (
        "2 ± 0 (1,060)"
    )
    beside = dataclasses.replace(beside, parameter=99.0)
    assert _text(artifact, find, _numbers("A", metric=beside, shown=Shown.BESIDE_PAPER))[0] == (
        "– (1,060)"
    )


def test_the_variance_of_a_collapsed_model_is_marked(artifact, find):
    """C's average is 22, A's 60.75; a note says what the mark means, only where there is one."""
    collapsed, notes = _text(artifact, find, _numbers("C", "A", metric=_VARIANCE))
    assert collapsed == "22 (¹), 61"
    assert notes[-1].startswith("¹ The average has collapsed")
    of_seeds = _numbers("A", "C", metric=_VARIANCE, shown=Shown.SEEDS)
    assert _text(artifact, find, of_seeds)[0] == "60, 61, 20 (¹), 24 (¹)"
    assert _text(artifact, find, _numbers("A", metric=_VARIANCE)) == ("61", [])


def test_what_a_number_is_read_with_need_not_be_shown(artifact, find):
    """The artifact has another metric alone, and the number is that of a round."""
    bare = dataclasses.replace(artifact, metrics=(Metric("train_loss", "loss"),), paper_files=())
    in_round_2 = dataclasses.replace(_VARIANCE, in_round=2)
    assert _text(bare, find, _numbers("C", metric=in_round_2))[0] == "22 (¹)"


def test_a_best_of_row_chooses_by_the_artifacts_first_metric(artifact, find):
    """However the table that shows it rounds: A is the best by the average."""
    with_best = dataclasses.replace(artifact, best_of={"best": ("B", "A")})
    assert _text(with_best, find, _numbers("best", metric=_VARIANCE))[0] == "61"


def test_an_artifact_that_shows_several_rounds_is_read_after_one_of_them(artifact, find):
    scales = {**artifact.scales, "short": Scale(2, rounds_shown=(1, 2))}
    shown = dataclasses.replace(artifact, scales=scales)
    after_2 = dataclasses.replace(_AVERAGE, in_round=2)
    assert _text(shown, find, _numbers("A", metric=after_2))[0] == "60.8"
    for in_round in (None, 3):
        elsewhere = dataclasses.replace(_AVERAGE, in_round=in_round)
        with pytest.raises(ValueError, match=rf"must be one of \(1, 2\), got {in_round}"):
            _text(shown, find, _numbers("A", metric=elsewhere))


def test_a_best_of_row_needs_all_that_it_chooses_from(artifact, find, tmp_path):
    with_best = dataclasses.replace(artifact, best_of={"best": ("A", "B")})
    (run,) = (
        run
        for run in artifact_runs(artifact, "short", (2,))
        if (run.dataset, run.variant) == (_DATASET, "B")
    )
    shutil.rmtree(run_directory(tmp_path / "runs", run.configuration).path)
    with pytest.raises(ValueError, match=r"B on synthetic_iid: seeds \[2\] are not finished"):
        _text(with_best, find, _numbers("best"))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"artifact": "toy/other"}, "there is no artifact 'toy/other'"),
        ({"scale": "only"}, "toy/table, scale only, seeds 1, 2: the scale must be one of smoke"),
        ({"metric": Metric("test_averge", "average")}, "there is no metric 'test_averge'"),
        (
            {"metric": dataclasses.replace(_AVERAGE, in_round=1)},
            r"A on synthetic_iid has no 'average %' in round 1, seeds \[1, 2\]",
        ),
        (
            {"metric": Metric("test_average", "average", "averge"), "shown": Shown.PAPER},
            "paper_column of 'average' must be .*got 'averge'",
        ),
        ({"scale": "paper"}, "no finished run of toy/table, scale paper"),
        ({"seeds": (3,)}, "no finished run of toy/table, scale short, seeds 3, on synth"),
        ({"seeds": (1, 3)}, r"toy/table, A on synthetic_iid: seeds \[3\] are not finished"),
        ({"dataset": "synthetic_1_1"}, "no finished run of toy/table, .*, on synthetic_1_1"),
        ({"methods": ("D",)}, "toy/table has no 'D' on 'synthetic_iid'"),
    ],
)
def test_a_number_that_is_not_there_is_named(artifact, find, parts, message):
    methods = parts.pop("methods", ("A",))
    with pytest.raises(ValueError, match=f"table toy/page: .*{message}"):
        _text(artifact, find, _numbers(*methods, **parts))


_PAGE = """# Results

<!-- results: toy/page -->
| shown |
| --- |
| 1.0 |

What no longer holds.
<!-- end of results -->

The end.
"""


@pytest.fixture
def paper(artifact):
    table = PageTable("toy/page", ("shown",), ((_numbers("A"),),))
    return Paper("toy", "Toy", "Nobody", artifacts=(artifact,), page_tables=(table,))


def test_a_page_gets_its_tables_and_keeps_the_rest(paper, find):
    once = with_tables(_PAGE, [paper], find)
    assert names_on(_PAGE) == ["toy/page"]
    assert once == (
        "# Results\n\n<!-- results: toy/page -->\n\n| shown |\n| --- |\n| 60.8 |\n\n"
        "<!-- end of results -->\n\nThe end.\n"
    )
    assert with_tables(once, [paper], find) == once


def test_without_its_tables_the_rest_of_a_page_is_left(paper, find):
    page = with_tables(_PAGE, [paper], find)
    assert without_tables(page) == (
        "# Results\n\n<!-- results: toy/page -->\n<!-- end of results -->\n\nThe end.\n"
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("<!-- results: toy/page -->", "the place of 'toy/page' has no end"),
        ("<!-- end of results -->", "line 1, .*has no beginning"),
        (
            "<!-- results: toy/page -->\nProse.\n<!-- results: toy/page --> \n"
            "<!-- end of results -->",
            "line 3, .*has no end before it",
        ),
    ],
)
def test_prose_is_never_taken_for_a_table(paper, find, lines, message):
    for read in (names_on, without_tables, lambda page: with_tables(page, [paper], find)):
        with pytest.raises(ValueError, match=message):
            read(f"{lines}\n")


def test_two_places_are_two(paper, find):
    both = with_tables(_PAGE + _PAGE, [paper], find)
    assert names_on(both) == ["toy/page"] * 2
    assert both == with_tables(_PAGE, [paper], find) * 2


def test_a_page_without_tables_stays_as_it_is(paper, find):
    assert with_tables("# Nothing\n", [paper], find) == "# Nothing\n"


def test_a_table_that_no_paper_declares_is_named(paper, find):
    page = _PAGE.replace("toy/page", "toy/gone")
    with pytest.raises(ValueError, match=r"there is no table 'toy/gone', only \['toy/page'\]"):
        with_tables(page, [paper], find)
