from __future__ import annotations

import dataclasses
import json
import shutil

import pytest

from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.configure import read_run, resolve
from experiments.runs.run_directory import RunDirectory, RunDirectoryError

_RUN = resolve(RunConfiguration("fed_avg", "synthetic_1_1", rounds=3, learning_rate=0.1))


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path / "deep" / "run")


def _files(directory: RunDirectory) -> dict[str, bytes]:
    paths = directory.path.rglob("*")
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def test_a_claim_writes_configuration_and_environment(directory):
    """And may be repeated if it was killed half-way."""
    assert not directory.path.exists() and directory.read_result() is None
    directory.path.mkdir(parents=True)
    directory.environment.write_text("{}")
    (directory.path / ".configuration.json.x7").write_text("{")
    directory.claim(_RUN, resume=False)
    assert read_run(directory.configuration.read_text()) == _RUN
    assert json.loads(directory.environment.read_text())["tensorflow-federated"] == "0.87.0"
    assert sorted(_files(directory)) == ["configuration.json", "environment.json"]
    directory.release()
    with pytest.raises(RunDirectoryError, match="--resume goes on with it"):
        directory.claim(_RUN, resume=False)
    directory.claim(_RUN, resume=True)


_MORE_STEPS_AT_LAST = {"epochs": 2.3, "step_remainder": "last_rounds"}


@pytest.mark.parametrize(
    ("settings", "change", "difference"),
    [
        ({}, {"dataset": "synthetic_iid", "rounds": 4}, "dataset: 'synthetic_1_1' there"),
        ({}, {"seeds": Seeds(model=1)}, "seeds: .*model=0.* there, .*model=1.* here"),
        (_MORE_STEPS_AT_LAST, {"rounds": 6}, "3 rounds.*with step_remainder=last_rounds"),
    ],
)
def test_another_run_is_refused_and_the_first_difference_named(
    directory, settings, change, difference
):
    run = _RUN.with_settings(**settings)
    directory.claim(run, resume=False)
    directory.release()
    before = _files(directory)
    other = resolve(dataclasses.replace(run.configuration, **change))
    for resume in (True, False):
        with pytest.raises(RunDirectoryError, match=difference):
            directory.claim(other, resume=resume)
    assert _files(directory) == before


@pytest.mark.parametrize("rounds", [3, 4])
def test_a_run_goes_on_only_on_the_data_that_it_was_begun_on(directory, rounds):
    """A run of an older version does not say which they were."""
    directory.claim(_RUN, resume=False, data_fingerprint="a")
    directory.release()
    before, run = _files(directory), _RUN.with_settings(rounds=rounds)
    with pytest.raises(RunDirectoryError, match="on other data"):
        directory.claim(run, resume=True, data_fingerprint="b")
    assert _files(directory) == before
    directory.environment.write_text("{}")
    directory.claim(run, resume=True, data_fingerprint="b")


@pytest.mark.parametrize("resume", [True, False])
def test_a_foreign_directory_is_refused(directory, resume):
    """An empty one may hold a run."""
    directory.path.mkdir(parents=True)
    RunDirectory(directory.path).claim(_RUN, resume=resume)
    directory = RunDirectory(directory.path.parent / "foreign")
    directory.path.mkdir()
    (directory.path / "thesis.tex").write_text("precious")
    with pytest.raises(RunDirectoryError, match="holds no run"):
        directory.claim(_RUN, resume=resume)
    assert _files(directory) == {"thesis.tex": b"precious"}


def _rows(last: int) -> bytes:
    return b"round,loss\r\n" + b"".join(b"%d,0.5\r\n" % number for number in range(last + 1))


def _write_tables(directory: RunDirectory, content: bytes) -> None:
    for table in (directory.metrics, directory.timings):
        table.write_bytes(content)


@pytest.fixture
def interrupted(directory):
    """Checkpoints after rounds 2 and 4, and rounds until 6.

    Client 0 wrote in rounds 1, 3 and 5, client 7 in round 0.
    """
    directory.claim(_RUN, resume=False)
    for round_number, written in ((2, ("0/1", "7/0")), (4, ("0/3",)), (6, ("0/5",))):
        for name in written:
            file = directory.variates / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"variate {name}")
        if round_number < 6:
            # As TFF's manager writes it, with tables of every round until then.
            folder = directory.checkpoints / f"program_state_{round_number}" / "variables"
            folder.mkdir(parents=True)
            (folder / "variables.index").write_bytes(b"state %d" % round_number)
            _write_tables(directory, _rows(round_number))
            directory.checkpoint_checksums.record(round_number)
    _write_tables(directory, _rows(6))
    directory.release()
    return directory


def _damage(path, way: str) -> None:
    content = bytearray(path.read_bytes())
    if way == "missing":
        path.unlink()
        return
    content[-1] ^= 1
    path.write_bytes(content if way == "flipped" else content[:-3])


def _tables(directory: RunDirectory) -> set[bytes]:
    return {table.read_bytes() for table in (directory.metrics, directory.timings)}


@pytest.mark.parametrize("ending", [b"", b"1", b"7,0.5", b"7,0.5,[1"])
def test_resume_goes_back_to_the_newest_checkpoint(interrupted, ending):
    """What comes after it is cut off, also a row that was being appended.

    A checkpoint that was just being written is passed over without a word.
    """
    _write_tables(interrupted, _rows(6) + ending)
    (interrupted.checkpoints / "program_state_6").mkdir()
    assert interrupted.claim(_RUN, resume=True) is None
    assert _tables(interrupted) == {_rows(4)}


_FOUR = "checkpoints/program_state_4"
_AFTER_TWO = "going on after round 2"


@pytest.mark.parametrize(
    ("file", "way", "goes_on"),
    [
        (f"{_FOUR}/variables/variables.index", "cut", _AFTER_TWO),
        (f"{_FOUR}/variables/variables.index", "missing", _AFTER_TWO),
        (f"{_FOUR}/checksums.json", "cut", _AFTER_TWO),
        ("variates/0/3", "flipped", _AFTER_TWO),
        ("variates/0/3", "missing", _AFTER_TWO),
        ("variates/0/1", "missing", None),
        ("variates/0/5", "cut", None),
        ("variates/7/0", "cut", "beginning again"),
    ],
)
def test_a_damaged_checkpoint_or_variate_is_passed_over(interrupted, file, way, goes_on):
    """After round 4 client 0 needs what it wrote in round 3; of round 1 it needs nothing then.

    What it wrote in round 5 it writes again. What client 7 wrote both checkpoints need.
    """
    _damage(interrupted.path / file, way)
    sentence = interrupted.claim(_RUN, resume=True)
    if goes_on is None:
        assert sentence is None and _tables(interrupted) == {_rows(4)}
        return
    assert sentence.startswith(f"{interrupted.path}: ") and sentence.endswith(f": {goes_on}")
    assert file.rpartition("_4/")[2] in sentence
    left = [path.name for path in interrupted.checkpoints.iterdir()]
    assert left == (["program_state_2"] if goes_on == _AFTER_TWO else [])
    assert not left or _tables(interrupted) == {_rows(2)}


@pytest.mark.parametrize(
    ("rows", "goes_on"),
    [
        (_rows(6).replace(b"3,0.5", b"3,0.6"), f"its checksum: {_AFTER_TWO}"),
        (_rows(1), ": beginning again"),
        (None, ": beginning again"),
    ],
)
def test_a_table_that_was_changed_is_believed_only_as_far_as_it_is_whole(
    interrupted, rows, goes_on
):
    """Until round 2 the first one is as it was when that checkpoint was saved."""
    if rows is None:
        interrupted.metrics.unlink()
    else:
        interrupted.metrics.write_bytes(rows)
    sentence = interrupted.claim(_RUN, resume=True)
    assert "metrics.csv" in sentence and sentence.endswith(goes_on)
    if "again" in goes_on:
        assert not interrupted.metrics.exists() and not interrupted.timings.exists()
        assert list(interrupted.checkpoints.iterdir()) == []
    else:
        assert _tables(interrupted) == {_rows(2)}


def test_one_program_at_a_time(directory):
    directory.claim(_RUN, resume=False)
    with pytest.raises(RunDirectoryError, match="another program is writing .*; wait for it"):
        RunDirectory(directory.path).claim(_RUN, resume=True, lock_timeout_seconds=0.1)
    directory.release()
    RunDirectory(directory.path).claim(_RUN, resume=True)


def test_resume_removes_what_a_killed_writer_left(interrupted):
    (interrupted.path / "metrics.csv_temp1234").write_text("rou")
    (interrupted.path / ".result.json.ab").write_text("{")
    (interrupted.path / ".clients.csv.ab").write_text("cl")
    (interrupted.checkpoints / "program_state_5_temp99" / "assets").mkdir(parents=True)
    interrupted.claim(_RUN, resume=True)
    left = {path.name for path in interrupted.path.iterdir()}
    files = {"configuration.json", "environment.json", "metrics.csv", "timings.csv"}
    assert left == {"checkpoints", "variates", *files}
    left = {path.name for path in interrupted.checkpoints.iterdir()}
    assert left == {"program_state_2", "program_state_4"}


@pytest.fixture
def finished(interrupted):
    interrupted.claim(_RUN, resume=True)
    interrupted.clients.write_text("client_id\n")
    interrupted.finish({"test_average": 12.5})
    interrupted.release()
    return interrupted


def test_a_manifest_says_that_the_run_is_finished(finished):
    assert finished.is_finished()
    assert finished.read_result() == {"test_average": 12.5}
    before = _files(finished)
    assert finished.claim(_RUN, resume=True) is None
    assert _files(finished) == before
    finished.release()
    shutil.rmtree(finished.checkpoints)
    said = finished.claim(_RUN.with_settings(rounds=4), resume=True)
    assert said.endswith("there is no checkpoint: beginning again")
    finished.release()
    finished.configuration.write_text(finished.configuration.read_text()[:-3])
    with pytest.raises(RunDirectoryError, match="cannot be read .*does not say whose"):
        finished.claim(_RUN, resume=True)


@pytest.mark.parametrize(
    "name", ["metrics.csv", "timings.csv", "clients.csv", "result.json", "manifest.json"]
)
@pytest.mark.parametrize("way", ["flipped", "cut", "missing"])
def test_a_finished_run_that_is_damaged_is_made_again(finished, name, way):
    """One bit is enough; nobody reads it as a result again."""
    _damage(finished.path / name, way)
    assert not finished.is_finished()
    if (name, way) == ("manifest.json", "missing"):
        assert finished.read_result() is None
        assert finished.claim(_RUN, resume=True) is None
    else:
        with pytest.raises(RunDirectoryError, match=f"{name}.*; the same run with --resume"):
            finished.read_result()
        assert name in finished.claim(_RUN, resume=True)
    assert not finished.manifest.exists() and not finished.result.exists()
