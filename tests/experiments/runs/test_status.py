from __future__ import annotations

import dataclasses

import pytest

from experiments.declaration import Artifact, Metric, Scale, Variant
from experiments.runs.committed import commit_run
from experiments.runs.durations import Duration, Durations
from experiments.runs.plan import artifact_runs
from experiments.runs.run_directory import run_directory
from experiments.runs.status import ArtifactStatus, artifact_status
from experiments.runs.step_budget import COLUMNS, StepBudget
from experiments.runs.sweep import SweepOptions

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


def _status(options, durations=None):
    return artifact_status(_ARTIFACT, "smoke", (1,), options, durations or Durations())


def test_a_follower_is_found_once_its_leader_is_finished(options, tmp_path):
    """Its steps are those of 1 epoch: 3 steps of 10 examples, of 30 in all."""
    assert _status(options) == ArtifactStatus(
        3, 0, 0, num_unknown=3, seconds_left=0.0, runs_at_once=2
    )
    made = _finish(tmp_path / "elsewhere", _LEADER)
    commit_run(made, ("round", *COLUMNS), options.results_dir)
    assert _status(options) == ArtifactStatus(
        3, 1, 1, num_unknown=2, seconds_left=0.0, runs_at_once=2
    )
    follower = StepBudget(_LEADER, num_steps=3, num_examples=30).apply(_FOLLOWER)
    _finish(options.runs_dir, follower)
    assert _status(options) == ArtifactStatus(
        3, 2, 1, num_unknown=1, seconds_left=0.0, runs_at_once=2
    )
    _finish(options.runs_dir, _OTHER)
    assert _status(options) == ArtifactStatus(
        3, 3, 1, num_unknown=0, seconds_left=0.0, runs_at_once=2
    )


def test_the_time_left_is_that_of_the_others_one_after_the_other(options):
    """Two runs of 10 rounds of 6 s are left, one of which is unlike all others: 60 s.

    Then both are known: 120 s, or half of it, if two at once do not slow each other.
    """
    _finish(options.runs_dir, _OTHER)
    leaders = Duration(_LEADER, 0.0, once=0.0, training=6.0, evaluation=0.0)
    status = _status(options, Durations([leaders]))
    assert (status.num_unknown, status.seconds_left) == (1, pytest.approx(60.0))
    same_kind = dataclasses.replace(_OTHER, epochs=_FOLLOWER.epochs, steps=_FOLLOWER.steps)
    followers = dataclasses.replace(leaders, configuration=same_kind)
    status = _status(options, Durations([leaders, followers]))
    assert (status.num_unknown, status.seconds_left) == (0, pytest.approx(120.0))
    assert str(status) == "1 of 3 runs done, 1 min to 2 min left"


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (ArtifactStatus(3, 0, 0, 3, 0.0), "not started, 3 runs, time unknown"),
        (ArtifactStatus(1, 0, 0, 0, 90.0), "not started, 1 run, about 2 min"),
        (
            ArtifactStatus(4, 0, 0, 1, 90.0),
            "not started, 4 runs, about 2 min for 3 of them, unknown for 1",
        ),
        (ArtifactStatus(3, 2, 0, 0, 30.0), "2 of 3 runs done, about 30 s left"),
        (ArtifactStatus(3, 2, 1, 1, 0.0), "2 of 3 runs done (1 committed), time left unknown"),
        (
            ArtifactStatus(4, 1, 0, 2, 30.0),
            "1 of 4 runs done, about 30 s left for 1 of them, unknown for 2",
        ),
        (ArtifactStatus(3, 3, 3, 0, 0.0), "done, 3 runs (3 committed)"),
        (ArtifactStatus(3, 2, 0, 0, 30.0, runs_at_once=2), "2 of 3 runs done, about 30 s left"),
        (
            ArtifactStatus(9, 0, 0, 1, 90.0, 2),
            "not started, 9 runs, 45 s to 2 min for 8 of them, unknown for 1",
        ),
    ],
)
def test_the_line(status, line):
    assert str(status) == line
