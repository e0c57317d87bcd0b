from __future__ import annotations

import dataclasses
import html.parser
import pathlib

import pytest
from records import record

from experiments.declaration import (
    Artifact,
    Claim,
    Finding,
    Headline,
    Metric,
    Paper,
    Scale,
    Variant,
)
from experiments.reporting.document import Details, Heading, Image, Paragraph, Part
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.html import html_page
from experiments.reporting.markdown_page import markdown_pages
from experiments.reporting.results_page import Results, how_much_is_run, results_page
from experiments.runs.plan import artifact_runs

_AVERAGE = Metric("test_average", "average %")
_SCALES = {"smoke": Scale(1), "short": Scale(2), "paper": Scale(4)}
_TABLE = Artifact(
    name="toy/table",
    title="A <script>alert(1)</script> table",
    datasets=("synthetic_iid", "synthetic_1_1"),
    variants=(
        Variant("A", "fed_avg", {"learning_rate": 0.5}),
        Variant("B", "fed_prox"),
        Variant("C", "scaffold"),
    ),
    scales=_SCALES,
    metrics=(_AVERAGE,),
    notes=("A note.",),
)
_OTHER = dataclasses.replace(
    _TABLE, name="toy/other", title="Not run", notes=(), why_not_run="Why."
)
_PAPER = Paper(
    "toy",
    "The toy paper",
    "Nobody, 2020",
    artifacts=(_TABLE, _OTHER),
    claims=(
        Claim("toy/up", "A is better than B.", "Table 1", "toy/table", _AVERAGE, "A", "B"),
        Claim("toy/down", "B is better than A.", "Table 1", "toy/table", _AVERAGE, "B", "A"),
        Claim("toy/open", "A is better than C.", "Table 1", "toy/table", _AVERAGE, "A", "C"),
        Claim("toy/none", "C is better than A.", "Text", "toy/other", _AVERAGE, "C", "A"),
    ),
    headline=Headline("A | B is best.", "A is.", "C is not.", "The seed."),
    findings=(
        Finding("A is the best.", ("toy/up", "toy/down")),
        Finding("Of C nothing is known.", ("toy/open", "toy/none")),
    ),
)


def _finished(artifact=_TABLE, **averages):
    """A at 60 + seed, B at 50 + seed; C is not run, unless an average is given."""
    runs = []
    for run in artifact_runs(artifact, "short", (1, 2)):
        average = {"A": 60.0, "B": 50.0, **averages}.get(run.variant)
        result = None if average is None else {"test_average": average + run.seed}
        made = None if result is None else record(result, configuration=run.configuration)
        runs.append((run, made))
    return FinishedArtifact(artifact, "short", runs)


@pytest.fixture(scope="module")
def blocks():
    return results_page(Results((_PAPER,), {"toy/table": [_finished()]}))


@pytest.fixture(scope="module")
def of_paper(blocks):
    (part,) = (block for block in blocks if isinstance(block, Part))
    assert (part.name, part.title) == ("toy", "The toy paper: tables and figures")
    return part.blocks


@pytest.fixture(scope="module")
def pages(blocks):
    return list(markdown_pages(blocks, pathlib.Path.cwd() / "R.md").values())


@pytest.fixture(scope="module")
def text(pages):
    return pages[0]


def test_what_holds_comes_first_in_short(blocks, text):
    """Four claims: one confirmed, one contradicted, two of what was not run."""
    assert blocks[1] == Paragraph(
        "0 of 2 tables and figures are run whole, with one seed or more, and 1 in part."
    )
    assert r"| The toy paper | A \| B is best. | A is. | C is not. | The seed. |" in text
    assert "| The toy paper | its own | 4 | 1 | 0 | 1 | 0 | 2 |" in text
    assert "- A is the best. – **1 confirmed**, **1 contradicted**\n" in text
    assert "- Of C nothing is known. – **2 not run**\n" in text
    # What the words mean stands before they are used, and that sentences rest on some claims alone.
    before_words, _, after_words = text.partition("A is the best.")
    assert "Confirmed: on every data set that it is about, the 95% t interval" in before_words
    assert "they are not all claims." in before_words and "not all claims" not in after_words


def test_a_paper_of_which_nobody_has_said_anything_has_its_counts_alone():
    paper = dataclasses.replace(_PAPER, headline=None, findings=())
    (text, _) = markdown_pages(
        results_page(Results((paper,), {"toy/table": [_finished()]})), pathlib.Path.cwd() / "R.md"
    ).values()
    assert "what decides it" not in text and "What our runs show" not in text
    assert "| The toy paper | its own | 4 | 1 | 0 | 1 | 0 | 2 |" in text


def test_what_no_paper_claims_is_counted_apart():
    """Of the four claims the first, which is confirmed, is made ours."""
    first, *others = _PAPER.claims
    control = dataclasses.replace(first, source="Control: no paper says so")
    paper = dataclasses.replace(_PAPER, claims=(control, *others))
    (text, _) = markdown_pages(
        results_page(Results((paper,), {"toy/table": [_finished()]})), pathlib.Path.cwd() / "R.md"
    ).values()
    assert (
        "| The toy paper | its own | 3 | 0 | 0 | 1 | 0 | 2 |\n"
        "| The toy paper | our controls | 1 | 1 | 0 | 0 | 0 | 0 |\n"
    ) in text


def test_what_is_whole_is_told_from_what_is_there_in_part_with_the_reason():
    finished = {"toy/table": [_finished(C=40.0)], "toy/other": [_finished(_OTHER)]}
    results = Results((_PAPER,), finished)
    assert how_much_is_run(results) == (
        "1 of 2 tables and figures are run whole, with one seed or more, and 1 in part."
    )
    blocks = results_page(results)
    first, of_paper = markdown_pages(blocks, pathlib.Path.cwd() / "R.md").values()
    assert "| short: 12 of 12, seeds 1, 2 |" in first
    assert "| short: 8 of 12, seeds 1, 2<br>Why. |" in first
    assert "### Not run\n\nWhy.\n\n- synthetic_iid, C: seeds 1, 2\n" in of_paper
    assert of_paper.count("### Not run") == 1


def test_each_claim_has_its_verdict(text):
    rows = [line for line in text.splitlines() if line.startswith("| **")]
    assert [row.split(" | ")[:2] for row in rows] == [
        ["| **confirmed**", "A is better than B."],
        ["| **contradicted**", "B is better than A."],
        ["| **not run**", "A is better than C."],
        ["| **not run**", "C is better than A."],
    ]
    assert r"✓ synthetic_iid: +10 \[+10, +10\]<br>✓ synthetic_1_1: +10 \[+10, +10\]" in rows[0]
    assert "| – | [toy/table](R_by_paper/toy.md#toy-table)<br>not run |" in rows[2]
    assert "| – | toy/other |" in rows[3]


def test_a_target_that_no_seed_reaches_is_called_that_beside_its_interval():
    """Of two rounds: 0 ± 12.7062 · √(2/12)/√2."""
    rounds_to = Metric("rounds_to", "rounds to 95 %", parameter=95.0, smaller_is_better=True)
    claim = Claim("toy/never", "A is faster.", "Text", "toy/table", rounds_to, "A", "B")
    never = {0: {"test_weighted_average": 10.0}}
    finished = _finished()
    runs = [
        (run, made and dataclasses.replace(made, rounds=record(rounds=never).rounds))
        for run, made in finished.runs
    ]
    paper = dataclasses.replace(_PAPER, claims=(claim,), findings=())
    page = results_page(
        Results((paper,), {"toy/table": [dataclasses.replace(finished, runs=runs)]})
    )
    main, _ = markdown_pages(page, pathlib.Path.cwd() / "R.md").values()
    assert r"– synthetic_iid: +0 \[-3.668, +3.668\], target not reached<br>" in main


def test_a_stand_in_is_named_in_the_claims_and_above_the_table():
    finished = _finished()
    runs = [
        (run, made and dataclasses.replace(made, data_origin="cifar10_jpeg.zip"))
        for run, made in finished.runs
    ]
    with_origin = dataclasses.replace(finished, runs=runs)
    of_stand_in = results_page(Results((_PAPER,), {"toy/table": [with_origin]}))
    main, of_paper = markdown_pages(of_stand_in, pathlib.Path.cwd() / "R.md").values()
    assert "✓ synthetic_1_1 (stand-in: JPEG copies): +10" in main
    assert "# synthetic_1_1 (stand-in: JPEG copies)\n" in of_paper


def test_a_paper_has_a_list_of_its_artifacts(text):
    title = "A &lt;script&gt;alert(1)&lt;/script&gt; table"
    link = "[toy/table](R_by_paper/toy.md#toy-table)"
    assert f"| {link} | {title} | short: 8 of 12, seeds 1, 2 |" in text


def test_an_artifact_has_its_table_and_how_it_was_made(pages):
    (of_paper,) = pages[1:]
    assert of_paper.startswith(
        "# The toy paper: tables and figures\n\nNobody, 2020; [what it claims]("
    )
    of_artifact = of_paper[of_paper.index("## toy/table") :]
    assert "| A | 61.50 ± 0.71 |" in of_artifact
    assert "| C | not run |" in of_artifact
    assert "Scale short: 2 rounds; seeds 1, 2, each for data" in of_artifact
    assert "8 of 12 runs finished, 0.0 minutes" in of_artifact
    assert "--artifact=toy/table --scale=short --seeds=1,2\n" in of_artifact
    assert "| A | `fed_avg` | learning_rate = 0.5 |" in of_artifact
    assert "- A note.\n" in of_artifact
    assert "- synthetic_1_1, C: seeds 1, 2" in of_artifact


def test_an_artifact_that_was_not_run_says_so_with_its_command(text):
    of_rest = text[text.index("### The toy paper: not run") :]
    assert (
        "| toy/other | Not run | Why. | `python -m experiments.reproduce --artifact=toy/other"
        in of_rest
    )


def test_the_figure_is_within_the_page_and_links_are_answered(blocks, of_paper):
    (image,) = (block for block in of_paper if isinstance(block, Image))
    assert image.media_type == "image/svg+xml"
    assert b"<svg" in image.content
    anchors = {block.anchor for block in (*blocks, *of_paper) if isinstance(block, Heading)}
    assert {"toy", "toy-table", "claims-toy"} <= anchors


def test_a_hostile_title_is_shown_as_it_is(blocks, pages):
    tags = []
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append(tag)
    page = html_page("Results", blocks)
    parser.feed(page)
    assert "h3" in tags and "script" not in tags
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in "".join(pages)


def test_the_whole_configuration_is_there_on_demand(of_paper):
    (details,) = (
        block
        for block in of_paper
        if isinstance(block, Details) and block.summary.startswith("Configuration")
    )
    (of_a, *_) = (block for block in details.blocks if isinstance(block, Details))
    assert of_a.summary == "A"
    assert ["learning_rate", "0.5"] in list(of_a.blocks[0].rows)


def test_a_paper_without_claims_and_artifacts_is_not_shown():
    page = results_page(Results((Paper("empty", "An empty one", "Nobody"),), {}))
    assert "An empty one" not in html_page("Results", page)


def test_what_differs_on_a_data_set_stands_with_the_configuration():
    artifact = dataclasses.replace(_TABLE, on_datasets={"synthetic_1_1": {"batch_size": 5}})
    blocks = results_page(Results((_PAPER,), {"toy/table": [_finished(artifact)]}))
    text = "".join(markdown_pages(blocks, pathlib.Path.cwd() / "R.md").values())
    row = "| all on synthetic_1_1, unless said elsewhere |  | batch_size = 5 |"
    assert row in text.splitlines()


def test_what_a_scale_sets_on_a_data_set_stands_with_the_configuration_of_that_scale_alone():
    there = {"synthetic_1_1": {"batch_size": 5}}
    row = "| all on synthetic_1_1, unless said elsewhere |  | batch_size = 5 |"
    for scale, is_shown in {"short": True, "paper": False}.items():
        scales = {**_SCALES, scale: dataclasses.replace(_SCALES[scale], on_datasets=there)}
        finished = _finished(dataclasses.replace(_TABLE, scales=scales))
        blocks = results_page(Results((_PAPER,), {"toy/table": [finished]}))
        text = "".join(markdown_pages(blocks, pathlib.Path.cwd() / "R.md").values())
        assert (row in text.splitlines()) is is_shown
