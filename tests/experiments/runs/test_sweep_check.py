from __future__ import annotations

import json

import numpy as np
import pytest
from made_runs import toy_artifact, write_run

from experiments.declaration import Variant
from experiments.runs.committed import commit_run
from experiments.runs.plan import artifact_runs
from experiments.runs.progress import TimeEstimate
from experiments.runs.step_budget import COLUMNS, StepBudget
from experiments.runs.sweep import SweepOptions
from experiments.runs.sweep_check import artifact_status, check_data
from leaf_data import extensions, from_arrays
from leaf_data.fingerprint import fingerprint

_ARTIFACT = toy_artifact(
    datasets=("synthetic_1_1",),
    variants=(
        Variant("leader", "fed_veca"),
        Variant("follower", "fed_avg", step_budget_of="leader"),
        Variant("other", "fed_fa"),
    ),
)
_LEADER, _FOLLOWER, _OTHER = (run.resolved for run in artifact_runs(_ARTIFACT, "smoke", (1,)))


@pytest.fixture
def options(tmp_path):
    return SweepOptions(runs_dir=tmp_path / "runs", results_dir=tmp_path / "results", workers=2)


def _status(options):
    return artifact_status(_ARTIFACT, "smoke", (1,), options, TimeEstimate())


def test_a_follower_is_found_once_its_leader_is_finished(options, tmp_path):
    """Its steps are those of 1 epoch: 3 steps of 10 examples, of 30 in all."""
    assert _status(options) == "not started, 3 runs, an unknown time"
    columns = dict(zip(COLUMNS, ([1, 2], [10, 20])))
    made = write_run(tmp_path / "elsewhere", _LEADER, 50.0, columns=columns)
    commit_run(made, ("round", *COLUMNS), options.results_dir)
    assert _status(options) == "1 of 3 runs done (1 committed), an unknown time left"
    budget = StepBudget(_LEADER, 1, num_steps=3, num_examples=30)
    write_run(options.runs_dir, budget.apply(_FOLLOWER), 50.0)
    assert _status(options) == "2 of 3 runs done (1 committed), an unknown time left"
    write_run(options.runs_dir, _OTHER, 50.0)
    assert _status(options) == "done, 3 runs (1 committed)"


_FIRST = np.arange(12.0)


def load(*, seed: int = 0):
    """Returns a user's data, which the test changes."""
    if _FIRST is None:
        raise FileNotFoundError
    return from_arrays(np.stack([_FIRST, _FIRST**2], axis=1), np.arange(12) % 2, np.arange(12) % 3)


@pytest.mark.parametrize("name", [f"{__name__}:load", "installed"])
def test_finished_runs_on_users_data_that_have_changed_are_refused(options, monkeypatch, name):
    """Also if the data set has a name, by an entry point. Data that are gone are not looked at."""
    monkeypatch.setattr(extensions, "entry_points", lambda _: {"installed": f"{__name__}:load"})
    settings = {"learning_rate": 0.1, "clients_per_round": 2}
    variants = (Variant("A", "fed_avg", settings),)
    artifact = toy_artifact(datasets=(name,), variants=variants)
    runs = list(artifact_runs(artifact, "smoke", (1, 2)))
    made = write_run(options.runs_dir, runs[0].resolved, 50.0)
    here = {"data_fingerprint": fingerprint(load().train, load().test)}
    made.environment.write_text(json.dumps(here))
    assert check_data(runs[:1], options) == {}
    monkeypatch.setitem(globals(), "_FIRST", _FIRST + 1)
    with pytest.raises(ValueError, match=f"A on {name}: seed 1 is finished, on other data, which"):
        check_data(runs, options)
    monkeypatch.setitem(globals(), "_FIRST", None)
    assert check_data(runs[:1], options) == {}
