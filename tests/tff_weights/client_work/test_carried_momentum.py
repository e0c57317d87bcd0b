"""Tests of `tff_weights.client_work.carried_momentum`, in FedFa, whose Algorithm 2 may have it."""

import dataclasses
import functools

import numpy as np
import pytest
import tensorflow as tf
from reference import algorithms
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, run_rounds, simulate_rounds
from reference.problem import functional_model

from tff_weights import LocalTraining, build_fed_fa

_NUM_CLIENTS = len(CLIENTS)


def _build(model=None, **arguments):
    return build_fed_fa(
        model or functional_model(),
        **{"local_training": LOCAL_TRAINING, "num_clients": _NUM_CLIENTS, **arguments},
    )


def test_against_numpy(tmp_path):
    """Clients come back after one round, after two, and never."""
    process = _build(carry_momentum=True, store_dir=tmp_path)
    expected = simulate_rounds(
        functools.partial(algorithms.fed_fa, alpha=0.5, carry_momentum=True, momentum=0.5)
    )
    trajectory, _, state = run_rounds(process)
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
    restarted = simulate_rounds(functools.partial(algorithms.fed_fa, alpha=0.5, momentum=0.5))
    assert np.abs(trajectory[-1] - restarted[-1]).max() > 1e-3
    last = [max(t for t, cohort in enumerate(COHORTS) if i in cohort) for i in range(_NUM_CLIENTS)]
    np.testing.assert_array_equal(state.client_work.server.last_round, last)


@pytest.mark.parametrize(
    ("dtype", "near"), [(tf.float32, 1e-5), pytest.param(tf.bfloat16, 2e-2, marks=pytest.mark.long)]
)
def test_two_rounds_of_one_step_are_two_steps_of_one_round(dtype, near, tmp_path):
    """Without a server's momentum the model is at the client's own weights in between. It visits
    all of its examples at each step."""
    training = LocalTraining(learning_rate=0.1, batch_size=100, steps=1, momentum=np.float64(0.5))
    build = functools.partial(_build, functional_model(dtype=dtype), server_momentum=0.0)
    process = build(carry_momentum=True, store_dir=tmp_path, local_training=training)
    trajectory, _, _ = run_rounds(process, [[1], [1]])
    two_steps = build(local_training=dataclasses.replace(training, steps=2))
    (expected,), _, _ = run_rounds(two_steps, [[1]])
    np.testing.assert_allclose(trajectory[1], expected, atol=near)
