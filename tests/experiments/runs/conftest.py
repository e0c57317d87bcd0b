"""What tests of runs share."""

from __future__ import annotations

import pytest

from experiments.runs import training
from experiments.runs.learning_process import build_process

# Their clients keep files, which lie in a folder of their run's own.
_KEEP_FILES = ("scaffold", "ditto", "trained_alone")


@pytest.fixture(scope="module")
def built_once():
    """Runs that differ by their rounds have one process: to build it takes longer than they do."""
    built = {}
    others = {"rounds": 1, "rounds_per_evaluation": 1, "clients_per_evaluation": None}
    others |= {"target_accuracy": None, "least_rounds": 1, "evaluated_data": "both"}

    def build(run, task, **given):
        if run.configuration.algorithm in _KEEP_FILES:
            return build_process(run, task, **given)
        key = run.with_settings(**others)
        if key not in built:
            built[key] = build_process(run, task, **given)
        return built[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "build_process", build)
        yield
