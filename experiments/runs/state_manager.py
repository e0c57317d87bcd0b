"""The checkpoints of a run, and with them the files that clients keep."""

from __future__ import annotations

import time
from typing import Any

import tensorflow_federated as tff

from experiments.runs.run_directory import RunDirectory
from tff_weights import prune_control_variates


class PruningStateManager(tff.program.FileProgramStateManager):
    """Keeps the newest checkpoints, and of the clients' variates what these can ask for."""

    def __init__(self, directory: RunDirectory, *, num_kept: int, seconds_between: float = 0.0):
        """Initializes the manager.

        Args:
            directory: The run's files.
            num_kept: How many checkpoints are kept, at least 1.
            seconds_between: How long after the start or the last checkpoint none is saved.
        """
        super().__init__(directory.checkpoints, keep_total=num_kept, keep_first=False)
        self._variates = directory.variates
        self._checksums = directory.checkpoint_checksums
        self._seconds_between = seconds_between
        self._latest = time.monotonic()

    async def save(self, program_state: Any, version: int) -> None:
        """Saves the state after `version` rounds, and removes what is older than kept.

        Less than `seconds_between` after the last time it does nothing, nor before the first round:
        the tables get their other columns in that round and are written anew, so that they would
        differ from the checksums of what was there before.
        """
        if version == 0:
            return
        if time.monotonic() - self._latest < self._seconds_between:
            return
        await super().save(program_state, version)
        self._checksums.record(version)
        versions = await self.get_versions()
        prune_control_variates(self._variates, oldest_round=min(versions or [version]))
        self._latest = time.monotonic()
