from __future__ import annotations

import dataclasses
import json
import os
import stat

import pytest

from experiments.runs import run_directory
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.run_directory import RunDirectory, RunDirectoryError, write_atomically

_CONFIGURATION = RunConfiguration("fed_avg", "synthetic_1_1", rounds=3, learning_rate=0.1)


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path / "deep" / "run")


def _files(directory: RunDirectory) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.path.iterdir()}


def test_nothing_is_made_before_the_claim(directory):
    assert not directory.path.exists()
    assert directory.read_result() is None


def test_a_claim_writes_configuration_and_environment(directory):
    directory.claim(_CONFIGURATION, resume=False)
    assert RunConfiguration.from_json(directory.configuration.read_text()) == _CONFIGURATION
    environment = json.loads(directory.environment.read_text())
    assert environment["tensorflow-federated"] == "0.87.0"
    assert sorted(_files(directory)) == ["configuration.json", "environment.json"]


def test_an_empty_directory_is_taken(directory):
    directory.path.mkdir(parents=True)
    directory.claim(_CONFIGURATION, resume=False)
    assert directory.configuration.exists()


def test_resume_may_begin_a_run(directory):
    directory.claim(_CONFIGURATION, resume=True)
    assert directory.configuration.exists()


def test_the_same_run_needs_resume(directory):
    directory.claim(_CONFIGURATION, resume=False)
    with pytest.raises(RunDirectoryError, match="--resume goes on with it"):
        directory.claim(_CONFIGURATION, resume=False)
    directory.claim(_CONFIGURATION, resume=True)


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"rounds": 4}, "rounds: 3 there, 4 here"),
        ({"dataset": "synthetic_iid", "rounds": 4}, "dataset: 'synthetic_1_1' there"),
        ({"seeds": Seeds(model=1)}, "seeds: .*'model': 0.* there, .*'model': 1.* here"),
    ],
)
@pytest.mark.parametrize("resume", [True, False])
def test_another_run_is_refused_and_the_first_difference_named(
    directory, change, difference, resume
):
    directory.claim(_CONFIGURATION, resume=False)
    before = _files(directory)
    with pytest.raises(RunDirectoryError, match=difference):
        directory.claim(dataclasses.replace(_CONFIGURATION, **change), resume=resume)
    assert _files(directory) == before


@pytest.mark.parametrize("resume", [True, False])
def test_a_foreign_directory_is_refused(directory, resume):
    directory.path.mkdir(parents=True)
    (directory.path / "thesis.tex").write_text("precious")
    with pytest.raises(RunDirectoryError, match="holds no run"):
        directory.claim(_CONFIGURATION, resume=resume)
    assert _files(directory) == {"thesis.tex": b"precious"}


def test_a_claim_that_was_killed_half_way_can_be_repeated(directory):
    directory.path.mkdir(parents=True)
    directory.environment.write_text("{}")
    (directory.path / ".configuration.json.x7").write_text("{")
    directory.claim(_CONFIGURATION, resume=False)
    assert sorted(_files(directory)) == ["configuration.json", "environment.json"]


@pytest.mark.parametrize("ending", ["", "1", "12,0.5", "12,0.5,[1"])
def test_resume_cuts_off_the_row_that_was_being_appended(directory, ending):
    """Of row 12 only `1` may be there, which would be taken for row 1."""
    directory.claim(_CONFIGURATION, resume=False)
    whole = b"round,loss,weights\r\n11,0.25,[1]\r\n"
    for table in (directory.metrics, directory.timings):
        table.write_bytes(whole + ending.encode())
    directory.claim(_CONFIGURATION, resume=True)
    assert directory.metrics.read_bytes() == directory.timings.read_bytes() == whole


def test_resume_removes_what_a_killed_writer_left(directory):
    directory.claim(_CONFIGURATION, resume=False)
    directory.metrics.write_text("round\n")
    (directory.path / "metrics.csv_temp1234").write_text("rou")
    (directory.path / ".result.json.ab").write_text("{")
    (directory.path / ".clients.csv.ab").write_text("cl")
    (directory.checkpoints / "program_state_3").mkdir(parents=True)
    (directory.checkpoints / "program_state_4_temp99" / "assets").mkdir(parents=True)
    directory.claim(_CONFIGURATION, resume=True)
    assert sorted(_files_and_folders(directory)) == [
        "checkpoints",
        "configuration.json",
        "environment.json",
        "metrics.csv",
    ]
    assert [path.name for path in directory.checkpoints.iterdir()] == ["program_state_3"]


def _files_and_folders(directory: RunDirectory) -> list[str]:
    return [path.name for path in directory.path.iterdir()]


def test_a_result_says_that_the_run_is_finished(directory):
    directory.claim(_CONFIGURATION, resume=False)
    assert directory.read_result() is None
    write_atomically(directory.result, '{"test_average": 12.5}')
    assert directory.read_result() == {"test_average": 12.5}


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, "old")
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, "old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(run_directory.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_files_have_the_users_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", "text")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
