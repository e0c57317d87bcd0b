from __future__ import annotations

import dataclasses
import json

import pytest

from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.run_directory import RunDirectory, RunDirectoryError

_CONFIGURATION = RunConfiguration("fed_avg", "synthetic_1_1", rounds=3, learning_rate=0.1)


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
    directory.claim(_CONFIGURATION, resume=False)
    assert RunConfiguration.from_json(directory.configuration.read_text()) == _CONFIGURATION
    environment = json.loads(directory.environment.read_text())
    assert environment["tensorflow-federated"] == "0.87.0"
    assert sorted(_files(directory)) == ["configuration.json", "environment.json"]
    directory.release()
    with pytest.raises(RunDirectoryError, match="--resume goes on with it"):
        directory.claim(_CONFIGURATION, resume=False)
    directory.claim(_CONFIGURATION, resume=True)


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"dataset": "synthetic_iid", "rounds": 4}, "dataset: 'synthetic_1_1' there"),
        ({"seeds": Seeds(model=1)}, "seeds: .*model=0.* there, .*model=1.* here"),
    ],
)
def test_another_run_is_refused_and_the_first_difference_named(directory, change, difference):
    directory.claim(_CONFIGURATION, resume=False)
    directory.release()
    before = _files(directory)
    for resume in (True, False):
        with pytest.raises(RunDirectoryError, match=difference):
            directory.claim(dataclasses.replace(_CONFIGURATION, **change), resume=resume)
    assert _files(directory) == before


@pytest.mark.parametrize("resume", [True, False])
def test_a_foreign_directory_is_refused(directory, resume):
    """An empty one may hold a run."""
    directory.path.mkdir(parents=True)
    RunDirectory(directory.path).claim(_CONFIGURATION, resume=resume)
    directory = RunDirectory(directory.path.parent / "foreign")
    directory.path.mkdir()
    (directory.path / "thesis.tex").write_text("precious")
    with pytest.raises(RunDirectoryError, match="holds no run"):
        directory.claim(_CONFIGURATION, resume=resume)
    assert _files(directory) == {"thesis.tex": b"precious"}


def _rows(last: int) -> bytes:
    return b"round,loss\r\n" + b"".join(b"%d,0.5\r\n" % number for number in range(last + 1))


def _write_tables(directory: RunDirectory, content: bytes) -> None:
    for table in (directory.metrics, directory.timings):
        table.write_bytes(content)


def _checkpoint(directory: RunDirectory, round_number: int) -> None:
    """A checkpoint as TFF's manager writes it, and tables with a row for every round until then."""
    folder = directory.checkpoints / f"program_state_{round_number}" / "variables"
    folder.mkdir(parents=True)
    (folder / "variables.index").write_bytes(b"state %d" % round_number)
    _write_tables(directory, _rows(round_number))
    directory.checkpoint_checksums.record(round_number)


@pytest.fixture
def interrupted(directory):
    """Checkpoints after rounds 2 and 4, and rounds until 6."""
    directory.claim(_CONFIGURATION, resume=False)
    _checkpoint(directory, 2)
    _checkpoint(directory, 4)
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
    assert interrupted.claim(_CONFIGURATION, resume=True) is None
    assert _tables(interrupted) == {_rows(4)}


_INDEX = "program_state_4/variables/variables.index"


@pytest.mark.parametrize(
    ("name", "way"),
    [(_INDEX, "cut"), (_INDEX, "missing"), ("program_state_4/checksums.json", "cut")],
)
def test_a_damaged_checkpoint_is_passed_over(interrupted, name, way):
    path = interrupted.checkpoints / name
    _damage(path, way)
    sentence = interrupted.claim(_CONFIGURATION, resume=True)
    assert sentence.startswith(f"{interrupted.path}: ")
    assert sentence.endswith(": going on after round 2")
    assert path.name in sentence
    assert _tables(interrupted) == {_rows(2)}
    assert [path.name for path in interrupted.checkpoints.iterdir()] == ["program_state_2"]


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


@pytest.mark.parametrize("way", ["flipped", "missing"])
@pytest.mark.parametrize(
    ("file", "goes_on"),
    [("0/3", "going on after round 2"), ("0/1", None), ("7/0", "beginning again"), ("0/5", None)],
)
def test_a_damaged_variate_is_passed_over(with_variates, file, goes_on, way):
    """After round 4 client 0 needs what it wrote in round 3; of round 1 it needs nothing then.

    What it wrote in round 5 it writes again. What client 7 wrote both checkpoints need.
    """
    _damage(with_variates.variates / file, way)
    sentence = with_variates.claim(_CONFIGURATION, resume=True)
    if goes_on is None:
        assert sentence is None
        assert _tables(with_variates) == {_rows(4)}
    else:
        assert f"checkpoint 4: variates/{file}" in sentence
        assert sentence.endswith(f": {goes_on}")


@pytest.mark.parametrize(
    ("rows", "goes_on"),
    [
        (_rows(6).replace(b"3,0.5", b"3,0.6"), "its checksum: going on after round 2"),
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
    sentence = interrupted.claim(_CONFIGURATION, resume=True)
    assert "metrics.csv" in sentence and sentence.endswith(goes_on)
    if "again" in goes_on:
        assert not interrupted.metrics.exists() and not interrupted.timings.exists()
        assert list(interrupted.checkpoints.iterdir()) == []
    else:
        assert _tables(interrupted) == {_rows(2)}


def test_one_program_at_a_time(directory):
    directory.claim(_CONFIGURATION, resume=False)
    with pytest.raises(RunDirectoryError, match="another program is writing .*; wait for it"):
        RunDirectory(directory.path).claim(_CONFIGURATION, resume=True, lock_timeout_seconds=0.1)
    directory.release()
    RunDirectory(directory.path).claim(_CONFIGURATION, resume=True)


def test_resume_removes_what_a_killed_writer_left(interrupted):
    (interrupted.path / "metrics.csv_temp1234").write_text("rou")
    (interrupted.path / ".result.json.ab").write_text("{")
    (interrupted.path / ".clients.csv.ab").write_text("cl")
    (interrupted.checkpoints / "program_state_5_temp99" / "assets").mkdir(parents=True)
    interrupted.claim(_CONFIGURATION, resume=True)
    tables = {"configuration.json", "environment.json", "metrics.csv", "timings.csv"}
    assert {path.name for path in interrupted.path.iterdir()} == {"checkpoints", *tables}
    left = {path.name for path in interrupted.checkpoints.iterdir()}
    assert left == {"program_state_2", "program_state_4"}


@pytest.fixture
def finished(interrupted):
    interrupted.claim(_CONFIGURATION, resume=True)
    interrupted.clients.write_text("client_id\n")
    interrupted.finish({"test_average": 12.5})
    interrupted.release()
    return interrupted


def test_a_manifest_says_that_the_run_is_finished(finished):
    assert finished.is_finished()
    assert finished.read_result() == {"test_average": 12.5}
    before = _files(finished)
    assert finished.claim(_CONFIGURATION, resume=True) is None
    assert _files(finished) == before
    finished.release()
    finished.configuration.write_text(finished.configuration.read_text()[:-3])
    with pytest.raises(RunDirectoryError, match="is damaged .*does not say whose"):
        finished.claim(_CONFIGURATION, resume=True)


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
        assert finished.claim(_CONFIGURATION, resume=True) is None
    else:
        with pytest.raises(RunDirectoryError, match=f"{name}.*; the same run with --resume"):
            finished.read_result()
        assert name in finished.claim(_CONFIGURATION, resume=True)
    assert not finished.manifest.exists() and not finished.result.exists()
