"""The pages of results, and the slots of their prose, of a toy paper."""

from __future__ import annotations

import re

import pytest
from made_runs import toy_artifact
from records import record

from experiments.declaration import ONLY_SCALE, Claim, Headline, Metric, Paper, Scale
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.markdown import aligned, escaped
from experiments.reporting.pages import paper_page, results_page
from experiments.reporting.results import Results
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import resolve
from experiments.runs.plan import ArtifactRun

_AVERAGE = Metric("test_average", "average %", "average")
_RUN = resolve(RunConfiguration("fed_avg", "synthetic_1_1", rounds=3, learning_rate=0.1))
_HOSTILE = '<script>alert("1")</script> ](javascript:x) | `x` *x* _x_'


def _artifact(name, *datasets, **fields):
    return toy_artifact(
        name=name,
        title=f"{name}: {_HOSTILE}",
        datasets=datasets,
        scales={ONLY_SCALE: Scale(3)},
        notes=(_HOSTILE,),
        **fields,
    )


def _results(tmp_path, prose="", num_seeds=5):
    """A is ahead of B by 10 points on one data set; the other artifact was not run."""
    (tmp_path / "paper.csv").write_text("dataset,method,average\niid,A,70\niid,B,65\n")
    (tmp_path / "findings").write_text(prose)
    table = _artifact("toy/table", "iid", "mnist", paper_files=(tmp_path / "paper.csv",))
    other = _artifact("toy/other", "iid")
    claims = [
        Claim(f"toy/{better}", _HOSTILE, "Table 1", artifact, _AVERAGE, better, worse)
        for artifact, better, worse in (("toy/table", "A", "B"), ("toy/table", "B", "A"))
    ]
    claims.append(Claim("toy/other_c", "Other.", "Control", "toy/other", _AVERAGE, "A", "B"))
    paper = Paper(
        "toy",
        "The toy paper",
        "Nobody 2000",
        artifacts=(table, other),
        claims=tuple(claims),
        headline=Headline("It says.", "{{ verdict('toy/A') }}.", "{{ verdicts('toy/B') }}."),
        findings=tmp_path / "findings",
    )
    runs = [
        (ArtifactRun("iid", method, seed, _RUN), record({"test_average": average}))
        for method, average in (("A", 1234.5), ("B", 1224.5))
        for seed in range(1, num_seeds + 1)
    ]
    return paper, Results([paper], {"toy/table": [FinishedArtifact(table, ONLY_SCALE, runs)]})


def _page(tmp_path, prose="", **fields):
    paper, results = _results(tmp_path, prose, **fields)
    return paper_page(paper, results, tmp_path / "docs" / "toy.md", tmp_path / "R.md")


def _rows(page):
    return [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]


def test_a_papers_page_has_claims_then_tables_then_findings(tmp_path):
    page = _page(tmp_path, "What {{ mean('toy/table', 'A', 'average %', dataset='iid') }} shows.")
    places = [page.index(each) for each in ("**holds**", "toy/table: ", "What 1,234.50 shows.")]
    assert places == sorted(places)
    assert [row[0].strip("| *") for row in _rows(page)[2:5]] == ["holds", "fails", "not run"]
    assert ["| A", "1,234.50 ± 0.00 (70.00) |"] in _rows(page)
    assert "../R.md" in page


def test_the_first_page_counts_the_claims_and_links_to_the_pages(tmp_path):
    _, results = _results(tmp_path)
    page = results_page(results, tmp_path / "R.md", tmp_path / "docs")
    counts = {row[1]: row[2:5] for row in _rows(page) if row[0] == "| The toy paper"}
    assert counts["our controls"][0] == "1"
    assert counts["its own"][:2] == ["2", "1"]
    assert "(docs/toy.md)" in page
    said = ("It says.", "holds.", "1 of 1 claim is contradicted.")
    found = re.findall(r"^- \*\*.*\*\*: (.*)$", page, re.MULTILINE)
    assert found == [*said, "1 of 2 claims holds and 1 is contradicted."]


@pytest.mark.parametrize(
    ("slot", "text"),
    [
        ("mean('toy/table', 'A', 'test_average', dataset='iid')", "1,234.50"),
        ("spread('toy/table', 'A', 'average %', dataset='iid')", "1,234.50 ± 0.00"),
        ("values('toy/table', 'A', 'average %', dataset='iid')", "1,234.50 and 1,234.50"),
        ("range('toy/table', ['A', 'B'], 'average %', datasets=['iid'])", "1,224.50 to 1,234.50"),
        ("paper('toy/table', 'A', 'average %', dataset='iid')", "70.00"),
        ("difference('toy/table', 'A', 'B', 'average %', dataset='iid')", "10.00 [10.00, 10.00]"),
        ("differences('toy/table', 'B', 'A', 'average %', datasets=['iid'])", "−10.00"),
        ("verdict('toy/A')", "leans towards holding (2 of 2 seeds)"),
        ("verdict('toy/other_c')", "is not run"),
        ("verdicts('toy/?')", "1 of 2 claims leans towards holding and 1 leans towards failing"),
        ("mean('toy/other', 'A', 'average %')", "–"),
    ],
)
def test_a_slot(tmp_path, slot, text):
    assert f"It is {text}." in _page(tmp_path, f"It is {{{{ {slot} }}}}.", num_seeds=2)


@pytest.mark.parametrize(
    "slot",
    [
        "mean('toy/none', 'A', 'average %')",
        "mean('toy/table', 'C', 'average %', dataset='iid')",
        "mean('toy/table', 'A', 'average %', dataset='letters')",
        "verdicts('none/*')",
        "facts('toy/none')",
        "mean('toy/table')",
        "median",
    ],
)
def test_a_slot_for_what_there_is_not_is_refused(tmp_path, slot):
    with pytest.raises(ValueError, match="findings"):
        _page(tmp_path, f"{{{{ {slot} }}}}")


def test_names_and_notes_are_no_markup(tmp_path):
    page = _page(tmp_path)
    assert set(re.findall(r"<(\w+)", page)) == {"a", "br"}
    assert "](javascript:x)" not in page.replace("\\](javascript:x)", "")
    assert escaped("a|b*c* _d_ e_f [x]\n<g>") == "a\\|b\\*c\\* \\_d\\_ e_f \\[x\\] &lt;g&gt;"


def test_a_terminal_shows_columns_of_one_width():
    page = "A **table**:\n\n| method | average % |\n| --- | --- |\n| A | 70 ± 1 (71) |\n| B |  |"
    assert aligned(page).splitlines() == [
        "A **table**:",
        "",
        "method  average %",
        "------  -----------",
        "A       70 ± 1 (71)",
        "B",
    ]
