from __future__ import annotations

import asyncio
import collections
import os

import pytest
import tensorflow_federated as tff

from experiments.runs import release
from experiments.runs.release import (
    ChangedReleaseManager,
    ProgressBar,
    PruningStateManager,
    RoundsTable,
)
from experiments.runs.run_directory import RunDirectory


class _Recorder(tff.program.ReleaseManager):
    def __init__(self):
        self.released = {}

    async def release(self, value, key):
        self.released[key] = dict(value)


def test_the_times_of_tffs_training_loop_are_known():
    assert release.is_timing("training_time_in_seconds")
    assert release.is_timing("evaluation/evaluation_time_in_seconds")
    assert not release.is_timing("evaluation/test_average")


def test_only_what_is_chosen_is_released():
    recorder = _Recorder()
    manager = ChangedReleaseManager(recorder, release.chosen(lambda name: name != "b"))
    asyncio.run(manager.release(collections.OrderedDict(a=1, b=2, c={"b": 3}), 4))
    assert recorder.released == {4: {"a": 1, "c": {"b": 3}}}


def test_what_is_measured_is_released_with_every_round_of_training():
    bytes_sent = iter([5, 7])
    change = release.chosen(lambda name: True, more=lambda: {"moved": next(bytes_sent)})
    released = [change({"a": key}, key) for key in (0, 1, 2)]
    assert released == [{"a": 0}, {"a": 1, "moved": 5}, {"a": 2, "moved": 7}]


def _release(table, key, **value):
    asyncio.run(table.release(collections.OrderedDict(value), key))


def test_a_row_is_appended_to_the_table(tmp_path):
    """To a file that stays the same one: TFF's own would put a new one in its place."""
    path = tmp_path / "table.csv"
    table = RoundsTable(path)
    _release(table, 0, a=0.5, b=1)
    os.link(path, tmp_path / "same")
    _release(table, 1, a=1.5)
    again = RoundsTable(path)
    _release(again, 2, a=2.5)
    assert path.samefile(tmp_path / "same")
    assert path.read_text().split() == ["round,a,b", "0,0.5,1", "1,1.5,", "2,2.5,"]


def test_rows_of_rounds_that_come_again_are_removed_and_columns_added(tmp_path):
    path = tmp_path / "table.csv"
    table = RoundsTable(path)
    for key in range(4):
        _release(table, key, a=key)
    table = RoundsTable(path)  # As a run that goes on from an earlier checkpoint.
    _release(table, 2, a=7, c=8)
    assert path.read_text().split() == ["round,a,c", "0,0,", "1,1,", "2,7,8"]
    _release(table, 0, a=9)
    assert path.read_text().split()[1:] == ["0,9"]


def _show(capsys, keys) -> str:
    bar = ProgressBar(description="fed_fa on noise", rounds=10)
    for key in keys:
        metrics = {"evaluation/train_loss": 0.25, "evaluation/test_average": 61.0}
        asyncio.run(bar.release(metrics, key))
    bar.close()
    return capsys.readouterr().err.split("\r")[-1]


def test_the_bar_shows_round_loss_and_accuracy(capsys):
    shown = _show(capsys, range(11))
    assert "fed_fa on noise: 100%" in shown
    assert "10/10" in shown
    assert "loss=0.25, accuracy=61.0" in shown


def test_the_bar_of_a_resumed_run_starts_where_the_run_does(capsys):
    assert "8/10" in _show(capsys, [7, 8])


def test_a_disabled_bar_shows_nothing(capsys):
    bar = ProgressBar(description="", rounds=2, disable=True)
    asyncio.run(bar.release({}, 1))
    bar.close()
    assert capsys.readouterr().err == ""


@pytest.fixture
def clock(monkeypatch):
    """The manager's clock, which stands until it is set."""
    now = [100.0]
    monkeypatch.setattr(release.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def directory(tmp_path):
    """A run's, whose tables have begun."""
    directory = RunDirectory(tmp_path)
    for table in (directory.metrics, directory.timings):
        table.write_text("round\n")
    return directory


def _versions(manager):
    return sorted(asyncio.run(manager.get_versions()) or [])


def test_checkpoints_are_so_many_seconds_apart_and_the_newest_are_kept(directory, clock):
    """At 109 s, 9 s after the start, none is due; at 110 one is, and the next not before 120."""
    manager = PruningStateManager(directory, num_kept=2, seconds_between=10.0)
    kept = []
    for version, now in enumerate((109.0, 110.0, 119.9, 120.0, 140.0), start=1):
        clock[0] = now
        asyncio.run(manager.save(version, version))
        kept.append(_versions(manager))
    assert kept == [[], [2], [2], [2, 4], [4, 5]]
    assert asyncio.run(manager.load(4, 0)) == 4


def test_of_the_clients_files_those_stay_that_a_checkpoint_can_ask_for(
    directory, clock, monkeypatch
):
    """Nothing is removed in a round that is not saved: the checkpoint before it asks for it all."""
    pruned = []
    monkeypatch.setattr(
        release, "prune_client_store", lambda _, oldest_round: pruned.append(oldest_round)
    )
    manager = PruningStateManager(directory, num_kept=2, seconds_between=10.0)
    for version, now in ((3, 110.0), (4, 111.0), (5, 125.0), (6, 140.0)):
        clock[0] = now
        asyncio.run(manager.save(version, version))
    assert pruned == [3, 3, 5]


def test_nothing_is_saved_before_the_first_round(directory, clock):
    """What starts again is no other run, and its tables have no columns of a round yet."""
    manager = PruningStateManager(directory, num_kept=2)
    asyncio.run(manager.save("initial", 0))
    assert _versions(manager) == []
    assert list(directory.checkpoints.iterdir()) == []
