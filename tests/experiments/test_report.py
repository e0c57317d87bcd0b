"""The program that puts all results on one page."""

from __future__ import annotations

import pytest
from made_runs import write_run

from experiments.papers import catalogue
from experiments.runs.plan import artifact_runs

_ARTIFACT = catalogue.artifacts()["fedfa/table3"]


@pytest.fixture
def flags(tmp_path):
    folders = (f"--output_dir={tmp_path}", f"--results_dir={tmp_path / 'committed'}")
    return (*folders, f"--markdown={tmp_path / 'R.md'}", f"--html={tmp_path / 'R.html'}")


def test_a_page_of_what_is_finished(run, tmp_path, flags):
    for planned in artifact_runs(_ARTIFACT, "short", (1, 2)):
        write_run(tmp_path / "runs", planned.configuration, 50.0 + planned.seed)
    ended = run("report", *flags)
    assert (ended.status, ended.errors) == (0, ""), ended.output
    assert ended.output.splitlines()[-1] == (
        f"Written: {tmp_path / 'R.md'} and {tmp_path / 'R.html'}"
    )
    markdown, html = (tmp_path / "R.md").read_text(), (tmp_path / "R.html").read_text()
    for artifact in catalogue.artifacts().values():
        assert artifact.name in markdown and artifact.name in html
    of_artifact = markdown[markdown.index(f"### {_ARTIFACT.name}: ") :]
    assert "| FedFa-mo | 51.50 ± 0.71 (80.11) |" in of_artifact
    assert "--artifact=fedfa/table3 --scale=short --seeds=1,2" in of_artifact
    assert "data:image/svg+xml;base64," in html


def test_nothing_finished_is_a_page_as_well(run, tmp_path, flags):
    ended = run("report", *flags)
    assert ended.status == 0
    assert ended.output.startswith("0 of ")
    assert "0 of " in (tmp_path / "R.md").read_text()


def test_what_cannot_be_read_is_named_once_and_the_rest_is_written(run, tmp_path, flags):
    planned = next(artifact_runs(_ARTIFACT, "short", (1,)))
    made = write_run(tmp_path / "runs", planned.configuration, 50.0)
    made.result.write_text("{}")
    ended = run("report", *flags)
    assert (ended.status, ended.errors) == (1, "")
    (line,) = (line for line in ended.output.splitlines() if line.startswith("Left out"))
    names = [
        artifact.name
        for artifact in catalogue.artifacts().values()
        for scale in ("paper", "short")
        if any(
            run.configuration == planned.configuration
            for run in artifact_runs(artifact, scale, (1,))
        )
    ]
    assert _ARTIFACT.name in names and len(names) > 1
    assert line.startswith(f"Left out, since not all runs can be read: {', '.join(names)}: RunDir")
    assert "result.json differs from its checksum" in line
    assert (tmp_path / "R.html").exists()


def test_bad_input_is_one_sentence_and_status_2(run_each, tmp_path, flags):
    cases = {
        "--scales must be different ones of": [*flags, "--scales=large"],
        "--scales must be different": [*flags, "--scales=short,short"],
        "cannot be written": [*flags, f"--html={tmp_path / 'nowhere' / 'R.html'}"],
        "it must be a file in a folder": [*flags, f"--markdown={tmp_path}"],
    }
    for sentence, ended in zip(cases, run_each("report", cases.values())):
        assert (ended.status, ended.output) == (2, ""), ended
        assert sentence in ended.errors
        assert len(ended.errors.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
