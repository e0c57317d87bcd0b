from __future__ import annotations

import pytest

from experiments.declaration import Artifact, Metric, Scale, Variant
from experiments.runs.committed import commit_run
from experiments.runs.plan import artifact_runs
from experiments.runs.progress import TimeEstimate
from experiments.runs.run_directory import run_directory
from experiments.runs.step_budget import COLUMNS, StepBudget
from experiments.runs.sweep import SweepOptions
from experiments.runs.sweep_check import artifact_status

_SIZE = Scale(10)
_ARTIFACT = Artifact(
    name="toy/table",
    title="A leader, a follower and another",
    datasets=("synthetic_1_1",),
    variants=(
        Variant("leader", "fed_veca"),
        Variant("follower", "fed_avg", step_budget_of="leader"),
        Variant("other", "fed_fa"),
    ),
    scales={"smoke": _SIZE, "short": _SIZE, "paper": _SIZE},
    metrics=(Metric("test_average", "average %"),),
)
_LEADER, _FOLLOWER, _OTHER = (run.configuration for run in artifact_runs(_ARTIFACT, "smoke", (1,)))


@pytest.fixture
def options(tmp_path):
    return SweepOptions(runs_dir=tmp_path / "runs", results_dir=tmp_path / "results", workers=2)


def _finish(runs_dir, configuration):
    """A run of 30 examples in 3 steps."""
    directory = run_directory(runs_dir, configuration)
    directory.path.mkdir(parents=True)
    directory.configuration.write_text(configuration.to_json())
    directory.environment.write_text("{}")
    directory.clients.write_text("client_id\n")
    directory.timings.write_text("round\n")
    directory.metrics.write_text(f'round,{",".join(COLUMNS)}\n1,"[1, 2]","[10, 20]"\n')
    directory.finish({})
    return directory


def _status(options):
    return artifact_status(_ARTIFACT, "smoke", (1,), options, TimeEstimate())


def test_a_follower_is_found_once_its_leader_is_finished(options, tmp_path):
    """Its steps are those of 1 epoch: 3 steps of 10 examples, of 30 in all."""
    assert _status(options) == "not started, 3 runs, an unknown time"
    made = _finish(tmp_path / "elsewhere", _LEADER)
    commit_run(made, ("round", *COLUMNS), options.results_dir)
    assert _status(options) == "1 of 3 runs done (1 committed), an unknown time left"
    _finish(options.runs_dir, StepBudget(_LEADER, num_steps=3, num_examples=30).apply(_FOLLOWER))
    assert _status(options) == "2 of 3 runs done (1 committed), an unknown time left"
    _finish(options.runs_dir, _OTHER)
    assert _status(options) == "done, 3 runs (1 committed)"
