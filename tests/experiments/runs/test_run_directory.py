from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys

import pytest

from experiments.runs import integrity
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.files import FolderLock
from experiments.runs.run_directory import RunDirectory, RunDirectoryError

_CONFIGURATION = RunConfiguration("fed_avg", "synthetic_1_1", rounds=3, learning_rate=0.1)


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path / "deep" / "run")


def _files(directory: RunDirectory) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.path.iterdir()}


def test_a_claim_writes_configuration_and_environment(directory):
    assert not directory.path.exists() and directory.read_result() is None
    directory.claim(_CONFIGURATION, resume=False)
    assert RunConfiguration.from_json(directory.configuration.read_text()) == _CONFIGURATION
    environment = json.loads(directory.environment.read_text())
    assert environment["tensorflow-federated"] == "0.87.0"
    assert sorted(_files(directory)) == ["configuration.json", "environment.json"]
    directory.release()
    with pytest.raises(RunDirectoryError, match="--resume goes on with it"):
        directory.claim(_CONFIGURATION, resume=False)
    directory.claim(_CONFIGURATION, resume=True)


def test_resume_may_begin_a_run_in_an_empty_directory(directory):
    directory.path.mkdir(parents=True)
    directory.claim(_CONFIGURATION, resume=True)
    assert directory.configuration.exists()


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"rounds": 2}, "rounds: 3 there, 2 here"),
        ({"dataset": "synthetic_iid", "rounds": 4}, "dataset: 'synthetic_1_1' there"),
        ({"seeds": Seeds(model=1)}, "seeds: .*model=0.* there, .*model=1.* here"),
    ],
)
@pytest.mark.parametrize("resume", [True, False])
def test_another_run_is_refused_and_the_first_difference_named(
    directory, change, difference, resume
):
    directory.claim(_CONFIGURATION, resume=False)
    directory.release()
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


def _checkpoint(directory: RunDirectory, round_number: int) -> None:
    """A checkpoint as TFF's manager writes it, and tables with a row for every round until then."""
    folder = directory.checkpoints / f"program_state_{round_number}" / "variables"
    folder.mkdir(parents=True)
    (folder / "variables.index").write_bytes(b"state %d" % round_number)
    for table in (directory.metrics, directory.timings):
        table.write_bytes(_rows(round_number))
    directory.checkpoint_checksums.record(round_number)


def _rows(last: int) -> bytes:
    return b"round,loss\r\n" + b"".join(b"%d,0.5\r\n" % number for number in range(last + 1))


@pytest.fixture
def interrupted(directory):
    """Checkpoints after rounds 2 and 4, and rounds until 6."""
    directory.claim(_CONFIGURATION, resume=False)
    _checkpoint(directory, 2)
    _checkpoint(directory, 4)
    for table in (directory.metrics, directory.timings):
        table.write_bytes(_rows(6))
    directory.release()
    return directory


def _tables(directory: RunDirectory) -> set[bytes]:
    return {table.read_bytes() for table in (directory.metrics, directory.timings)}


@pytest.mark.parametrize("ending", [b"", b"1", b"7,0.5", b"7,0.5,[1"])
def test_resume_goes_back_to_the_newest_checkpoint(interrupted, ending):
    """What comes after it is cut off, also a row that was being appended."""
    for table in (interrupted.metrics, interrupted.timings):
        table.write_bytes(_rows(6) + ending)
    assert interrupted.claim(_CONFIGURATION, resume=True) is None
    assert _tables(interrupted) == {_rows(4)}


@pytest.mark.parametrize("way", ["flipped", "cut", "missing", "checksums"])
def test_a_damaged_checkpoint_is_passed_over(interrupted, way):
    path = interrupted.checkpoints / "program_state_4" / "variables" / "variables.index"
    if way == "checksums":
        path = interrupted.checkpoints / "checksums_4.json"
    content = bytearray(path.read_bytes())
    if way == "missing":
        path.unlink()
    else:
        content[-1] ^= 1
        path.write_bytes(content if way == "flipped" else content[:-3])
    sentence = interrupted.claim(_CONFIGURATION, resume=True)
    assert sentence.startswith(f"{interrupted.path}: ")
    assert sentence.endswith(": going on after round 2")
    assert path.name in sentence
    assert _tables(interrupted) == {_rows(2)}
    names = sorted(path.name for path in interrupted.checkpoints.iterdir())
    assert names == ["checksums_2.json", "program_state_2"]


@pytest.fixture
def with_variates(directory):
    """Client 0 wrote in rounds 1, 3 and 5, client 7 in round 0; checkpoints after 2 and 4."""
    directory.claim(_CONFIGURATION, resume=False)
    for client, round_number in ((0, 1), (7, 0), (0, 3), (0, 5)):
        file = directory.variates / str(client) / str(round_number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"variate of %d in %d" % (client, round_number))
        if (client, round_number) == (7, 0):
            _checkpoint(directory, 2)
    _checkpoint(directory, 4)
    directory.release()
    return directory


@pytest.mark.parametrize("way", ["flipped", "cut", "missing"])
@pytest.mark.parametrize(
    ("file", "goes_on"),
    [("0/3", "going on after round 2"), ("0/1", None), ("7/0", "beginning again"), ("0/5", None)],
)
def test_a_damaged_variate_is_passed_over(with_variates, file, goes_on, way):
    """After round 4 client 0 needs what it wrote in round 3; of round 1 it needs nothing then.

    What it wrote in round 5 it writes again. What client 7 wrote both checkpoints need.
    """
    path = with_variates.variates / file
    content = bytearray(path.read_bytes())
    if way == "missing":
        path.unlink()
    else:
        content[-1] ^= 1
        path.write_bytes(content if way == "flipped" else content[:-1])
    sentence = with_variates.claim(_CONFIGURATION, resume=True)
    if goes_on is None:
        assert sentence is None
        assert _tables(with_variates) == {_rows(4)}
    else:
        assert f"checkpoint 4: variates/{file}" in sentence
        assert sentence.endswith(f": {goes_on}")


def test_a_variate_is_read_once_for_its_checksum(with_variates, monkeypatch):
    """Only what was written since the last checkpoint is new."""
    read = []
    monkeypatch.setattr(integrity, "sha256", lambda path: read.append(path.parent.name) or "known")
    checksums = RunDirectory(with_variates.path).checkpoint_checksums
    for _ in range(2):
        checksums.record(4)
    assert (read.count("0"), read.count("7")) == (1, 1)


def test_a_checkpoint_that_was_just_being_written_is_passed_over_without_a_word(interrupted):
    (interrupted.checkpoints / "program_state_6").mkdir()
    assert interrupted.claim(_CONFIGURATION, resume=True) is None
    assert _tables(interrupted) == {_rows(4)}


def test_a_table_that_was_changed_is_believed_only_as_far_as_it_is_whole(interrupted):
    """Round 3 was changed; the table until round 2 is as it was when that checkpoint was saved."""
    interrupted.metrics.write_bytes(_rows(6).replace(b"3,0.5", b"3,0.6"))
    sentence = interrupted.claim(_CONFIGURATION, resume=True)
    assert "checkpoint 4: metrics.csv differs from its checksum: going on after round 2" in sentence
    assert _tables(interrupted) == {_rows(2)}


@pytest.mark.parametrize("rows", [_rows(6).replace(b"1,0.5", b"1,0.6"), _rows(1), None])
def test_without_anything_sound_a_run_starts_again(interrupted, rows):
    if rows is None:
        interrupted.metrics.unlink()
    else:
        interrupted.metrics.write_bytes(rows)
    sentence = interrupted.claim(_CONFIGURATION, resume=True)
    assert sentence.endswith(": beginning again")
    assert "metrics.csv" in sentence
    assert not interrupted.metrics.exists() and not interrupted.timings.exists()
    assert list(interrupted.checkpoints.iterdir()) == []


def test_checksums_of_checkpoints_that_are_gone_are_forgotten(interrupted):
    shutil.rmtree(interrupted.checkpoints / "program_state_2")
    interrupted.checkpoint_checksums.record(4)
    names = sorted(path.name for path in interrupted.checkpoints.iterdir())
    assert names == ["checksums_4.json", "program_state_4"]


def test_one_program_at_a_time(directory):
    directory.claim(_CONFIGURATION, resume=False)
    with pytest.raises(RunDirectoryError, match="another program is writing .*run; wait for it"):
        RunDirectory(directory.path).claim(_CONFIGURATION, resume=True)
    directory.release()
    RunDirectory(directory.path).claim(_CONFIGURATION, resume=True)


def test_a_program_that_is_killed_leaves_no_lock(directory):
    program = (
        "import os, pathlib, signal, sys\n"
        "from experiments.runs.files import FolderLock\n"
        "lock = FolderLock(pathlib.Path(sys.argv[1]))\n"
        "print('locked', flush=True)\n"
        "signal.pause()\n"
    )
    directory.path.mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(directory.path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(BlockingIOError):
            FolderLock(directory.path)
        holder.kill()
    FolderLock(directory.path).release()


def test_resume_removes_what_a_killed_writer_left(interrupted):
    (interrupted.path / "metrics.csv_temp1234").write_text("rou")
    (interrupted.path / ".result.json.ab").write_text("{")
    (interrupted.path / ".clients.csv.ab").write_text("cl")
    (interrupted.checkpoints / "program_state_5_temp99" / "assets").mkdir(parents=True)
    (interrupted.checkpoints / ".checksums_5.json.ab").write_text("{")
    interrupted.claim(_CONFIGURATION, resume=True)
    left = {path.name for path in interrupted.path.iterdir()}
    assert left == {"checkpoints", *_NAMES, "metrics.csv", "timings.csv"}
    left = {path.name for path in interrupted.checkpoints.iterdir()}
    assert left == {f"{name}{number}{end}" for number in (2, 4) for name, end in _CHECKPOINT}


_NAMES = ("configuration.json", "environment.json")
_CHECKPOINT = (("program_state_", ""), ("checksums_", ".json"))
_RESULT = {"test_average": 12.5}


@pytest.fixture
def finished(interrupted):
    interrupted.claim(_CONFIGURATION, resume=True)
    interrupted.clients.write_text("client_id\n")
    interrupted.finish(_RESULT)
    interrupted.release()
    return interrupted


def test_a_manifest_says_that_the_run_is_finished(finished):
    assert finished.is_finished()
    assert finished.read_result() == _RESULT
    before = _files_of(finished)
    assert finished.claim(_CONFIGURATION, resume=True) is None
    assert _files_of(finished) == before


def _files_of(directory: RunDirectory) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in directory.path.rglob("*") if p.is_file()}


def test_a_result_alone_is_not_a_finished_run(finished):
    """The program was killed before it could write the manifest."""
    finished.manifest.unlink()
    assert not finished.is_finished()
    assert finished.read_result() is None


@pytest.mark.parametrize(
    "name", ["metrics.csv", "timings.csv", "clients.csv", "result.json", "manifest.json"]
)
@pytest.mark.parametrize("way", ["changed", "cut", "missing"])
def test_a_finished_run_that_is_damaged_is_made_again(finished, name, way):
    """One digit changed in a result is enough; nobody reads it as a result again."""
    path = finished.path / name
    content = path.read_bytes()
    if way == "missing":
        path.unlink()
    else:
        path.write_bytes(content.replace(b"5", b"6", 1) if way == "changed" else content[:-2])
    if way == "changed" and path.read_bytes() == content:
        path.write_bytes(content + b"x")
    assert not finished.is_finished()
    if (name, way) == ("manifest.json", "missing"):
        assert finished.read_result() is None
        assert finished.claim(_CONFIGURATION, resume=True) is None
    else:
        with pytest.raises(RunDirectoryError, match=f"{name}.*; the same run with --resume"):
            finished.read_result()
        assert name in finished.claim(_CONFIGURATION, resume=True)
    assert not finished.manifest.exists() and not finished.result.exists()


def test_a_damaged_configuration_is_named(finished):
    finished.configuration.write_text(finished.configuration.read_text()[:-3])
    with pytest.raises(RunDirectoryError, match="is damaged .*does not say whose"):
        finished.claim(_CONFIGURATION, resume=True)
