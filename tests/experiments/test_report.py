"""The program that writes the pages of results."""

from __future__ import annotations

import pytest
from made_runs import write_run

from experiments.papers import catalogue
from experiments.runs.plan import artifact_runs

_ARTIFACT = catalogue.artifacts()["fedfa/table3"]
_IN_PART = catalogue.artifacts()["fedfa/fig9"]

_DAMAGED = next(artifact_runs(_ARTIFACT, "short", (1,))).resolved
_SCENES = ("finished", "nothing", "damaged")


def _flags(folder):
    folders = (f"--output_dir={folder}", f"--results_dir={folder / 'committed'}")
    return [*folders, f"--markdown={folder / 'R.md'}", f"--pages={folder / 'pages'}"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def ends(run_each, folder):
    """The program's ends with an artifact's runs, with none, and with a damaged one."""
    for scene in _SCENES:
        for part in ("runs", "committed/runs"):
            (folder / scene / part).mkdir(parents=True)
    for planned in artifact_runs(_ARTIFACT, "short", (1, 2)):
        write_run(folder / "finished" / "runs", planned.resolved, 50.0 + planned.seed)
    for planned in list(artifact_runs(_ARTIFACT, "paper", (1, 2, 3)))[::5]:
        write_run(folder / "finished" / "runs", planned.resolved, 70.0)
    for scale, methods, seed in (("short", 3, 1), ("paper", 2, 1), ("paper", 2, 2)):
        for planned in list(artifact_runs(_IN_PART, scale, (seed,)))[:methods]:
            write_run(folder / "finished" / "runs", planned.resolved, 60.0)
    write_run(folder / "damaged" / "runs", _DAMAGED, 50.0).result.write_text("{}")
    return run_each("report", [_flags(folder / scene) for scene in _SCENES])


def test_a_page_of_what_is_finished(ends, folder):
    """Of nothing there is a page as well."""
    ended, nothing, _ = ends
    assert (ended.status, ended.errors) == (0, ""), ended.output
    pages = sorted((folder / "finished" / "pages").iterdir())
    papers = {name for name, paper in catalogue.papers().items() if paper.artifacts}
    assert {page.stem for page in pages} == {*papers, "which_weighting"}
    (written,) = (line for line in ended.output.splitlines() if line.startswith("Written: "))
    for page in (folder / "finished" / "R.md", *pages):
        assert str(page) in written
    assert "(pages/fedfa.md)" in (folder / "finished" / "R.md").read_text()
    of_paper = (folder / "finished" / "pages" / "fedfa.md").read_text()
    of_artifact = of_paper[of_paper.index(f"### {_ARTIFACT.name}: ") :]
    assert "| FedFa-mo | 51.50 ± 0.71 (80.11) |" in of_artifact
    # Of the scale of the paper there is a run of each of three seeds, but no seed is whole.
    assert "--artifact=fedfa/table3 --scale=short --seeds=1,2" in of_paper
    assert "--artifact=fedfa/table3 --scale=paper" not in of_paper
    # Without any whole seed the scale with more methods is shown, not the one with more runs.
    assert "--artifact=fedfa/fig9 --scale=short" in of_paper
    assert "--artifact=fedfa/fig9 --scale=paper" not in of_paper
    assert (nothing.status, ", 0 have all runs" in nothing.output) == (0, True)
    assert ", 0 have all runs" in (folder / "nothing" / "R.md").read_text()


def test_what_cannot_be_read_is_named_once_and_the_rest_is_written(ends, folder):
    ended = ends[2]
    assert ended.status == 1
    (line,) = (line for line in ended.errors.splitlines() if line.startswith("Left out"))
    names = [
        artifact.name
        for artifact in catalogue.artifacts().values()
        for scale in ("paper", "short")
        if any(run.resolved == _DAMAGED for run in artifact_runs(artifact, scale, (1,)))
    ]
    assert _ARTIFACT.name in names and len(names) > 1
    assert ", ".join(names) in line
    assert (folder / "damaged" / "R.md").exists()
