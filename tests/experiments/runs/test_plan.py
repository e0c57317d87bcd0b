from __future__ import annotations

import dataclasses

import pytest
from made_runs import toy_artifact

from experiments.declaration import Scale, Variant
from experiments.runs.configuration import Seeds
from experiments.runs.plan import artifact_runs

_ARTIFACT = toy_artifact(
    datasets=("synthetic_1_1", "mnist_x_class"),
    variants=(
        Variant("A", "fed_avg"),
        Variant("B", "fed_prox", {"batch_size": 7}),
        Variant("C", "fed_avg", datasets=("mnist_x_class",)),
        Variant("D", "fed_avg", step_budget_of="A", datasets=("synthetic_1_1",)),
    ),
    scales={
        "smoke": Scale(1, datasets=("synthetic_1_1",)),
        "short": Scale(20, {"clients_per_round": 3}),
        "paper": Scale(200, rounds_shown=(60, 100)),
    },
)


def _runs(artifact, scale, seeds=(1,)):
    return {
        (run.dataset, run.variant, run.seed): run for run in artifact_runs(artifact, scale, seeds)
    }


def test_every_variant_runs_on_its_data_sets_of_the_scale_with_every_seed():
    assert list(_runs(_ARTIFACT, "smoke", (1, 2))) == [
        ("synthetic_1_1", label, seed) for label in "ABD" for seed in (1, 2)
    ]
    assert [place[:2] for place in _runs(_ARTIFACT, "short")] == [
        *(("synthetic_1_1", label) for label in "ABD"),
        *(("mnist_x_class", label) for label in "ABC"),
    ]


def test_a_run_has_the_scales_rounds_and_settings_and_one_seed():
    """Evaluations meet the rounds shown: the greatest common divisor of 60 and 100 is 20.

    A budget of steps is from the same data set and seed.
    """
    runs = _runs(_ARTIFACT, "short", (5,))
    leader, follower = (runs["synthetic_1_1", label, 5] for label in "AD")
    configuration = leader.resolved.configuration
    assert configuration.seeds == Seeds(5, 5, 5, 5)
    assert (configuration.rounds, configuration.clients_per_round) == (20, 3)
    assert (leader.step_budget_of, follower.step_budget_of) == (None, leader.resolved)
    configuration = _runs(_ARTIFACT, "paper")["synthetic_1_1", "A", 1].resolved.configuration
    assert configuration.rounds_per_evaluation == 20


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        # The scale's rounds and 3 clients.
        ("artifact", {"learning_rate": 0.25, "rounds": 20, "clients_per_round": 3}),
        ("scale", {"learning_rate": 0.25, "rounds": 9, "clients_per_round": 2}),
    ],
)
def test_what_differs_on_a_data_set_differs_there_alone(of, expected):
    """An artifact's counts less than a scale's, which counts less than B's batches of 7."""
    there = {"learning_rate": 0.25, "clients_per_round": 2, "batch_size": 5, "rounds": 9}
    on_datasets = {"mnist_x_class": there}
    short = dataclasses.replace(_ARTIFACT.scales["short"], on_datasets=on_datasets)
    change = {"scales": {**_ARTIFACT.scales, "short": short}}
    change = change if of == "scale" else {"on_datasets": on_datasets}
    artifact = dataclasses.replace(_ARTIFACT, **change)
    before, after = _runs(_ARTIFACT, "short"), _runs(artifact, "short")
    for label in "ABD":
        assert after["synthetic_1_1", label, 1] == before["synthetic_1_1", label, 1]
    for label, batch_size in {"A": 5, "B": 7, "C": 5}.items():
        configuration = after["mnist_x_class", label, 1].resolved.configuration
        found = {name: getattr(configuration, name) for name in expected}
        assert (found, configuration.batch_size) == (expected, batch_size)
    there["model"] = "no_model"
    with pytest.raises(ValueError, match="no_model"):
        _runs(artifact, "short")
