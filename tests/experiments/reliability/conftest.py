"""The ledger that all tests of reliability write into, and the runs that they are compared with."""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Callable, Iterator

import pytest
from ledger import Ledger

from experiments.runs import training
from experiments.runs.configure import configure

_REPORT = "TFF_WEIGHTS_RELIABILITY_REPORT"


@pytest.fixture(scope="session")
def _whole_ledger() -> Iterator[Ledger]:
    """Written to the file that the environment names when all is tried."""
    ledger = Ledger()
    yield ledger
    if _REPORT in os.environ:
        ledger.write(pathlib.Path(os.environ[_REPORT]))


@pytest.fixture
def ledger(_whole_ledger: Ledger) -> Iterator[Ledger]:
    """Into which no test may write a fault."""
    _whole_ledger.faults.clear()
    yield _whole_ledger
    assert not _whole_ledger.faults


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory) -> Callable[..., pathlib.Path]:
    """The folder of a run that nothing disturbs, of an algorithm with settings."""

    @functools.cache
    def train(algorithm: str, *settings: tuple[str, object]) -> pathlib.Path:
        path = tmp_path_factory.mktemp("undisturbed") / "run"
        configuration = configure(algorithm, "synthetic_1_1", dict(settings))
        training.prepare(configuration, path).execute(show_progress=False)
        return path

    return lambda algorithm, **settings: train(algorithm, *settings.items())
