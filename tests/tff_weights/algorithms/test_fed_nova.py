"""Tests of `tff_weights.algorithms.fed_nova`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, run_rounds
from reference.problem import functional_model
from reference.weights import fed_nova

from tff_weights import build_fed_avg, build_fed_nova

_PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0)


def _build(**arguments):
    return build_fed_nova(functional_model(), **{"local_training": _PLAIN, **arguments})


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_equal_steps_are_fed_avg(momentum):
    local_training = dataclasses.replace(LOCAL_TRAINING, epochs=None, steps=6, momentum=momentum)
    fed_avg = build_fed_avg(functional_model(), local_training=local_training)
    np.testing.assert_allclose(
        run_rounds(_build(local_training=local_training), COHORTS[:3])[0],
        run_rounds(fed_avg, COHORTS[:3])[0],
        atol=1e-6,
    )


def test_weights_are_published():
    """Of 7, 40 and 25 examples in batches of ten, twice: 2, 8 and 6 steps."""
    _, (metrics,), _ = run_rounds(_build(), [[0, 1, 2]])
    cohort = metrics["aggregator"]["cohort"]
    reports = cohort["reports"]
    assert dict(zip(reports["client_index"], reports["num_steps"])) == {0: 2, 1: 8, 2: 6}
    counts = [len(CLIENTS[index].y) for index in range(3)]
    expected = dict(enumerate(fed_nova(counts, [2, 8, 6])))
    assert dict(zip(reports["client_index"], cohort["weights"])) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"proximal_strength": -0.1}, "proximal_strength .*-0.1"),
        (
            {"local_training": LOCAL_TRAINING, "proximal_strength": 0.25},
            "not both.*momentum=0.5.*proximal_strength=0.25",
        ),
        (
            {"local_training": dataclasses.replace(_PLAIN, proximal_strength=0.25)},
            "local_training.proximal_strength .*0.25",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        _build(**arguments)
