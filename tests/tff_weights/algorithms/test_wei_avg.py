"""Tests of `tff_weights.algorithms.wei_avg`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, run_rounds
from reference.problem import functional_model
from reference.weights import entropy

from tff_weights import build_fed_avg, build_wei_avg


def _build(**arguments):
    return build_wei_avg(functional_model(), **{"local_training": LOCAL_TRAINING, **arguments})


@pytest.mark.parametrize("by", [pytest.param("entropy", marks=pytest.mark.long), "projection"])
def test_an_exponent_of_zero_is_the_simple_mean(by):
    uniform = build_fed_avg(functional_model(), local_training=LOCAL_TRAINING, weighting="uniform")
    trajectory, _, _ = run_rounds(_build(by=by, exponent=0.0), COHORTS[:3])
    np.testing.assert_allclose(trajectory, run_rounds(uniform, COHORTS[:3])[0], atol=1e-6)


def test_an_exponent_of_zero_times_the_examples_is_fed_avg():
    process = _build(exponent=0.0, multiply_by_num_examples=True)
    fed_avg = build_fed_avg(functional_model(), local_training=LOCAL_TRAINING)
    np.testing.assert_allclose(
        run_rounds(process, COHORTS[:3])[0], run_rounds(fed_avg, COHORTS[:3])[0], atol=1e-6
    )


def test_entropies_are_published():
    _, (metrics,), _ = run_rounds(_build(by="entropy"), [[0, 1, 2]])
    reports = metrics["aggregator"]["cohort"]["reports"]
    assert dict(zip(reports["client_index"], reports["label_entropy"])) == pytest.approx(
        {index: entropy(CLIENTS[index].y) for index in range(3)}, rel=1e-5
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "size"}, "by .*'size'"),
        ({"exponent": -1.0}, "exponent .*-1.0"),
        ({"shift": 0.0}, "shift .*0.0"),
        ({"proximal_strength": -0.1}, "proximal_strength .*-0.1"),
        (
            {"local_training": dataclasses.replace(LOCAL_TRAINING, proximal_strength=0.25)},
            "local_training.proximal_strength .*0.25",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        _build(**arguments)
