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


@pytest.mark.parametrize(
    ("times", "kept"), [(True, {"training_time_in_seconds": 1.0}), (False, {"a": {"b": 3}})]
)
def test_what_is_chosen_is_released_and_what_is_measured_with_every_round_of_training(times, kept):
    released, bytes_sent = {}, iter([5, 7])

    class Recorder(tff.program.ReleaseManager):
        async def release(self, value, key):
            released[key] = dict(value)

    change = release.chosen(times=times, more=lambda: {"moved": next(bytes_sent)})
    manager = ChangedReleaseManager(Recorder(), change)
    for key in (0, 1, 2):
        metrics = collections.OrderedDict(training_time_in_seconds=1.0, a={"b": 3})
        asyncio.run(manager.release(metrics, key))
    assert released == {0: kept, 1: {**kept, "moved": 5}, 2: {**kept, "moved": 7}}


def test_a_row_is_appended_and_rows_of_rounds_that_come_again_are_removed(tmp_path):
    """To a file that stays the same one: TFF's own would put a new one in its place."""
    path = tmp_path / "table.csv"

    def release_rows(rows):
        table = RoundsTable(path)
        for key, row in rows.items():
            asyncio.run(table.release(collections.OrderedDict(row), key))
        return path.read_text().split()

    release_rows({0: {"a": 0.5, "b": 1}})
    os.link(path, tmp_path / "same")
    rows = release_rows({1: {"a": 1.5}, 2: {"a": 2.5}})
    assert rows == ["round,a,b", "0,0.5,1", "1,1.5,", "2,2.5,"]
    assert path.samefile(tmp_path / "same")
    # As a run that goes on from an earlier checkpoint.
    assert release_rows({1: {"a": 7, "c": 8}}) == ["round,a,b,c", "0,0.5,1,", "1,7,,8"]
    assert release_rows({0: {"a": 9}})[1:] == ["0,9"]


@pytest.mark.parametrize("disable", [False, True])
def test_the_bar_shows_round_loss_and_accuracy(capsys, disable):
    """That of a resumed run starts where the run does; a disabled one shows nothing."""
    bar = ProgressBar(description="fed_fa on noise", rounds=10, disable=disable)
    for key in (7, 8):
        metrics = {"evaluation/train_loss": 0.25, "evaluation/test_average": 61.0}
        asyncio.run(bar.release(metrics, key))
    bar.close()
    last = capsys.readouterr().err.split("\r")[-1]
    shown = ("fed_fa on noise: ", "8/10", "loss=0.25, accuracy=61.0")
    assert [text in last for text in shown] == [not disable] * 3


def test_checkpoints_are_so_many_seconds_apart_and_the_newest_are_kept(tmp_path, monkeypatch):
    """At 109 s, 9 s after the start, none is due; at 110 one is, and the next not before 120.

    Of the clients' files those stay that a checkpoint can ask for. Nothing is removed in a round
    that is not saved. Before the first round nothing is saved: what starts again is no other run.
    """
    directory, clock, pruned, kept = RunDirectory(tmp_path), [100.0], [], []
    for table in (directory.metrics, directory.timings):
        table.write_text("round\n")
    monkeypatch.setattr(release.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(
        release, "prune_client_store", lambda _, oldest_round: pruned.append(oldest_round)
    )
    manager = PruningStateManager(directory, num_kept=2, seconds_between=10.0)
    for version, now in enumerate((200.0, 109.0, 110.0, 119.9, 120.0, 140.0)):
        clock[0] = now
        asyncio.run(manager.save(version, version))
        kept.append(sorted(asyncio.run(manager.get_versions()) or []))
    assert kept == [[], [], [2], [2], [2, 4], [4, 5]]
    assert pruned == [2, 2, 4]
    assert asyncio.run(manager.load(4, 0)) == 4
