"""The program that puts all results on one page."""

from __future__ import annotations

import re

import pytest
from made_runs import write_run

from experiments.papers import catalogue
from experiments.runs import committed
from experiments.runs.plan import artifact_runs

_ARTIFACT = catalogue.artifacts()["fedfa/table3"]


_DAMAGED = next(artifact_runs(_ARTIFACT, "short", (1,))).configuration
_SCENES = ("finished", "nothing", "damaged")
_PROSE = "# Prose\n\n<!-- results: {table} -->\n<!-- end of results -->\n"


def _flags(folder):
    folders = (f"--output_dir={folder}", f"--results_dir={folder / 'committed'}")
    return [*folders, f"--markdown={folder / 'R.md'}", f"--html={folder / 'R.html'}"]


def _bad(folder):
    """From flags to what the sentence must name."""
    return {
        ("--scales=large",): "--scales must be different ones of",
        ("--scales=short,short",): "--scales must be different",
        (f"--html={folder / 'nowhere' / 'R.html'}",): "cannot be written",
        (f"--markdown={folder}",): "it must be a file in a folder",
        (f"--markdown={folder / 'taken.md'}",): "taken_by_paper must be a folder",
        (f"--pages={folder / 'nowhere'}",): "--pages must be a folder, got",
        (f"--pages={folder / 'prose'}",): "page.md: there is no table 'fedfa/none'",
    }


def _commit_what_the_page_shows(folder):
    """The overview's runs with bytes that are made up, and a page with a place for their table."""
    ways = ("bytes_down_per_client", "bytes_up_per_client")
    names = (*ways, *(f"paper_{way}" for way in ways))
    columns = {name: 1000.0 * place for place, name in enumerate(names, start=1)}
    artifact = catalogue.artifacts()["beyond/communication"]
    for planned in artifact_runs(artifact, "short", (1,)):
        made = write_run(folder / "elsewhere", planned.configuration, 95.0, columns=columns)
        kept = ("round", "evaluation/test_weighted_average", *columns)
        committed.commit_run(made, kept, folder / "committed")
    (folder / "prose").mkdir()
    (folder / "prose" / "page.md").write_text(_PROSE.format(table=artifact.name))
    (folder / "prose" / "other.md").write_text("# No table\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def ends(run_each, folder):
    """The program's ends with an artifact's runs, with none, with a damaged one, with bad input."""
    for scene in (*_SCENES, "bad"):
        (folder / scene).mkdir()
    for planned in artifact_runs(_ARTIFACT, "short", (1, 2)):
        write_run(folder / "finished" / "runs", planned.configuration, 50.0 + planned.seed)
    _commit_what_the_page_shows(folder / "finished")
    for planned in list(artifact_runs(_ARTIFACT, "paper", (1, 2, 3)))[::5]:
        write_run(folder / "finished" / "runs", planned.configuration, 70.0)
    made = write_run(folder / "damaged" / "runs", _DAMAGED, 50.0)
    made.result.write_text("{}")
    bad = folder / "bad"
    (bad / "taken_by_paper").touch()
    (bad / "prose").mkdir()
    (bad / "prose" / "page.md").write_text(_PROSE.format(table="fedfa/none"))
    return run_each(
        "report",
        [
            [*_flags(folder / _SCENES[0]), f"--pages={folder / 'finished' / 'prose'}"],
            *(_flags(folder / scene) for scene in _SCENES[1:]),
            *([*_flags(bad), *given] for given in _bad(bad)),
        ],
    )


def test_a_page_of_what_is_finished(ends, folder):
    ended = ends[0]
    assert (ended.status, ended.errors) == (0, ""), ended.output
    pages = [folder / "finished" / name for name in ("R.md", "R.html")]
    of_papers = sorted((folder / "finished" / "R_by_paper").iterdir())
    (written,) = (line for line in ended.output.splitlines() if line.startswith("Written: "))
    for page in (*pages, *of_papers):
        assert str(page) in written
    markdown, html = (page.read_text() for page in pages)
    for artifact in catalogue.artifacts().values():
        assert artifact.name in markdown and artifact.name in html
    assert f"| [{_ARTIFACT.name}](R_by_paper/fedfa.md#fedfa-table3) |" in markdown
    of_paper = (folder / "finished" / "R_by_paper" / "fedfa.md").read_text()
    of_artifact = of_paper[of_paper.index(f"## {_ARTIFACT.name}, scale short: ") :]
    assert "| FedFa-mo | 51.50 ± 0.71 (80.11) |" in of_artifact
    assert "--artifact=fedfa/table3 --scale=short --seeds=1,2" in of_artifact
    assert "data:image/svg+xml;base64," in html


def test_pages_of_prose_get_their_tables(ends, folder):
    """Bytes are shown in thousands; a page that stays as it is is not written."""
    prose = folder / "finished" / "prose"
    assert str(prose / "page.md") in ends[0].output
    assert str(prose / "other.md") not in ends[0].output
    assert "| SCAFFOLD | 1.000, 2.000 | 3.000, 4.000 |" in (prose / "page.md").read_text()
    assert (prose / "other.md").read_text() == "# No table\n"


def test_claims_are_judged_by_the_scale_with_most_whole_seeds(ends, folder):
    """Of the scale of the paper there is a run of each of three seeds, but no seed is whole."""
    markdown = (folder / "finished" / "R.md").read_text()
    of_artifact = re.findall(rf"\[{_ARTIFACT.name}\]\([^)]*\)<br>scale (\w+)", markdown)
    assert of_artifact and set(of_artifact) == {"short"}


def test_nothing_finished_is_a_page_as_well(ends, folder):
    ended = ends[1]
    assert ended.status == 0
    assert ended.output.startswith("0 of ")
    assert "0 of " in (folder / "nothing" / "R.md").read_text()


def test_what_cannot_be_read_is_named_once_and_the_rest_is_written(ends, folder):
    ended = ends[2]
    assert ended.status == 1
    (line,) = (line for line in ended.errors.splitlines() if line.startswith("Left out"))
    names = [
        artifact.name
        for artifact in catalogue.artifacts().values()
        for scale in ("paper", "short")
        if any(run.configuration == _DAMAGED for run in artifact_runs(artifact, scale, (1,)))
    ]
    assert _ARTIFACT.name in names and len(names) > 1
    assert line.startswith(f"Left out, since not all runs can be read: {', '.join(names)}: RunDir")
    assert "result.json differs from its checksum" in line
    assert (folder / "damaged" / "R.html").exists()


def test_bad_input_is_one_sentence_and_status_2(ends, folder):
    for sentence, ended in zip(_bad(folder / "bad").values(), ends[len(_SCENES) :]):
        assert (ended.status, ended.output) == (2, ""), ended
        assert sentence in ended.errors
        assert len(ended.errors.splitlines()) == 1
    assert {path.name for path in (folder / "bad").iterdir()} == {"taken_by_paper", "prose"}
