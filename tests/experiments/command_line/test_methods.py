from __future__ import annotations

import pytest

from experiments.command_line import methods


def test_a_method_is_an_algorithm_and_what_differs_from_its_recipe():
    found = methods.parse(
        [
            "fed_avg",
            "fed_fa:alpha=1:beta=0",
            "fed_avg:learning_rate=1:steps=3:weighting=uniform",
            "tff_weights:build_fed_prox:proximal_strength=2",
        ]
    )
    assert found == {
        "fed_avg": ("fed_avg", {}),
        "fed_fa, alpha = 1, beta = 0": ("fed_fa", {"alpha": 1.0, "beta": 0.0}),
        "fed_avg, learning_rate = 1, steps = 3, weighting = uniform": (
            "fed_avg",
            {"learning_rate": 1.0, "steps": 3, "weighting": "uniform"},
        ),
        "tff_weights:build_fed_prox, proximal_strength = 2": (
            "tff_weights:build_fed_prox",
            {"proximal_strength": 2.0},
        ),
    }
    (of_fed_fa,) = (given for name, given in found.values() if name == "fed_fa")
    assert [type(value) for value in of_fed_fa.values()] == [float, float]
    with pytest.raises(ValueError, match="--algorithms has 'fed_avg' twice"):
        methods.parse(["fed_avg", "fed_avg"])
    with pytest.raises(ValueError, match="algorithms is 'colour=red'; it must be name=value, and"):
        methods.parse(["fed_avg:steps=3:colour=red"])


def test_a_grid_is_every_method_with_every_combination():
    """2 methods · 2 rates · 2 sizes of batches: the last name changes fastest."""
    grid = ["learning_rate=0.1,1", "batch_size=5,6"]
    found = methods.with_grid(["fed_avg", "fed_fa:alpha=1:beta=0"], grid)
    assert found[:3] == [
        "fed_avg:learning_rate=0.1:batch_size=5",
        "fed_avg:learning_rate=0.1:batch_size=6",
        "fed_avg:learning_rate=1:batch_size=5",
    ]
    assert found[-1] == "fed_fa:alpha=1:beta=0:learning_rate=1:batch_size=6"
    assert len(methods.parse(found)) == 8
    assert methods.with_grid(["fed_avg"], []) == ["fed_avg"]
    quoted = methods.with_grid(["fed_avg"], ['epochs_per_client="uniform(1,20)",5'])
    assert quoted == ["fed_avg:epochs_per_client=uniform(1,20)", "fed_avg:epochs_per_client=5"]


@pytest.mark.parametrize(
    "grid",
    [["steps"], ["steps="], ["=1"], ["steps=1,,2"], ["steps=1"] * 2, ["steps=1,1"]],
)
def test_a_grid_that_is_none_is_refused(grid):
    with pytest.raises(ValueError, match="--grid"):
        methods.with_grid(["fed_avg"], grid)
