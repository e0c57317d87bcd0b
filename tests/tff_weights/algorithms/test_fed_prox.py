"""Tests of `tff_weights.algorithms.fed_prox`."""

from __future__ import annotations

import dataclasses
import functools
import math
import warnings

import numpy as np
import pytest
from reference.federation import COHORTS, LOCAL_TRAINING, run_rounds
from reference.problem import functional_model, initial_vector

from tff_weights import build_fed_avg, build_fed_prox, with_model_replacement


def _build(proximal_strength, local_training=LOCAL_TRAINING):
    return build_fed_prox(
        functional_model(), local_training=local_training, proximal_strength=proximal_strength
    )


def test_without_strength_it_is_fed_avg_and_warns():
    with pytest.warns(UserWarning, match="proximal_strength=0.*FedAvg"):
        process = _build(0)
    expected, _, _ = run_rounds(
        build_fed_avg(functional_model(), local_training=LOCAL_TRAINING), COHORTS[:3]
    )
    np.testing.assert_allclose(run_rounds(process, COHORTS[:3])[0], expected, atol=1e-6)


def test_clients_may_count_alike():
    """As FedAvg's with uniform weights, where the strength is too small to matter."""
    found, expected = (
        run_rounds(build(functional_model(), weighting="uniform", **arguments), COHORTS[:3])[0]
        for build, arguments in (
            (build_fed_prox, {"local_training": LOCAL_TRAINING, "proximal_strength": 1e-9}),
            (build_fed_avg, {"local_training": LOCAL_TRAINING}),
        )
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert not np.allclose(found, run_rounds(_build(1e-9), COHORTS[:3])[0], atol=1e-4)
    with pytest.raises(ValueError, match="weighting must be one of .* got 'equal'"):
        build_fed_prox(
            functional_model(),
            local_training=LOCAL_TRAINING,
            proximal_strength=1.0,
            weighting="equal",
        )


def test_its_model_can_be_replaced():
    """As FedAvg's, where the strength is too small to matter."""
    attack = functools.partial(
        with_model_replacement, attack_round=1, attacker_index=COHORTS[1][0], target_scale=-5.0
    )
    arguments = {"local_training": LOCAL_TRAINING, "wrap_client_work": attack}
    found, expected = (
        run_rounds(build(functional_model(), **arguments, **own), COHORTS[:2])[0]
        for build, own in ((build_fed_prox, {"proximal_strength": 1e-9}), (build_fed_avg, {}))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    assert not np.allclose(found[1], run_rounds(_build(1e-9), COHORTS[:2])[0][1], atol=1e-2)


def test_with_strength_it_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _build(0.1)


def test_the_stronger_the_nearer_to_the_received_model():
    distances = []
    for strength in (1e-6, 0.5, 2.0):
        (weights,), _, _ = run_rounds(_build(strength), [[3]])
        distances.append(np.linalg.norm(weights - initial_vector()))
    assert distances[0] > 1.1 * distances[1] > 1.1**2 * distances[2]


@pytest.mark.parametrize("strength", [-0.1, math.nan, math.inf])
def test_bad_strengths_are_refused(strength):
    with pytest.raises(ValueError, match=f"proximal_strength .*{strength}"):
        _build(strength)


def test_two_strengths_are_refused():
    local_training = dataclasses.replace(LOCAL_TRAINING, proximal_strength=0.25)
    with pytest.raises(ValueError, match="local_training.proximal_strength .*0.25"):
        _build(0.1, local_training)
