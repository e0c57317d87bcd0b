from __future__ import annotations

import asyncio

import pytest

from experiments.runs import state_manager
from experiments.runs.run_directory import RunDirectory
from experiments.runs.state_manager import PruningStateManager


@pytest.fixture
def clock(monkeypatch):
    """The manager's clock, which stands until it is set."""
    now = [100.0]
    monkeypatch.setattr(state_manager.time, "monotonic", lambda: now[0])
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


def test_without_seconds_every_round_is_saved(directory, clock):
    manager = PruningStateManager(directory, num_kept=3)
    for version in (1, 2, 3, 4):
        asyncio.run(manager.save(version, version))
    assert _versions(manager) == [2, 3, 4]


def test_of_the_clients_files_those_stay_that_a_checkpoint_can_ask_for(
    directory, clock, monkeypatch
):
    """Nothing is removed in a round that is not saved: the checkpoint before it asks for it all."""
    pruned = []
    monkeypatch.setattr(
        state_manager, "prune_control_variates", lambda _, oldest_round: pruned.append(oldest_round)
    )
    manager = PruningStateManager(directory, num_kept=2, seconds_between=10.0)
    for version, now in ((3, 110.0), (4, 111.0), (5, 125.0), (6, 140.0)):
        clock[0] = now
        asyncio.run(manager.save(version, version))
    assert pruned == [3, 3, 5]


def test_nothing_is_saved_before_the_first_round(directory, clock):
    """What begins anew is no other run, and its tables have no columns of a round yet."""
    manager = PruningStateManager(directory, num_kept=2)
    asyncio.run(manager.save("initial", 0))
    assert _versions(manager) == []
    assert list(directory.checkpoints.iterdir()) == []
