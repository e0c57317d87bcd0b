"""Weightings, solvers, server updates and inner factories that no algorithm puts together fit.

Each solver, each server update and each inner factory is once among the combinations.
"""

import dataclasses
import functools

import numpy as np
import pytest
import tensorflow_federated as tff
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds
from reference.problem import functional_model, initial_vector

import tff_weights as tw
from tff_weights.runtime import ProgramOptions, using

_COHORTS = ([0, 1, 2], [2, 5])
_MOMENTUM = dataclasses.replace(LOCAL_TRAINING, epochs=1)
_PROXIMAL = dataclasses.replace(_MOMENTUM, momentum=0.0, proximal_strength=0.1)
_EVERY_ROUND, _EVERY_THIRD = (
    functools.partial(tw.build_server_momentum_finalizer, momentum=0.5, every_rounds=every_rounds)
    for every_rounds in (1, 3)
)
_SECURE = tff.aggregators.SecureSumFactory(1e3, -1e3)
_COMPRESSED = tff.aggregators.EncodedSumFactory.quantize_above_threshold(
    quantization_bits=8, threshold=1
)
_NESTED = tff.aggregators.clipping_factory(0.5, tff.aggregators.zeroing_factory(1e3, _COMPRESSED))
_NOVA = tw.accept_if_loss_falls(tw.fed_nova_weighting(momentum=0.5))


@pytest.mark.parametrize(
    ("weighting", "solver", "server_update", "inner"),
    [
        (tw.fed_adp_weighting(num_clients=len(CLIENTS)), _MOMENTUM, _EVERY_ROUND, _NESTED),
        (_NOVA, _MOMENTUM, _EVERY_THIRD, _SECURE),
        (tw.fed_cav_weighting(audit=True), _PROXIMAL, _EVERY_ROUND, _SECURE),
    ],
    ids=["FedAdp", "FedNova", "FedCav"],
)
def test_parts_fit_together(weighting, solver, server_update, inner):
    process = tw.compose_algorithm(
        functional_model(),
        local_training=solver,
        weighting=weighting,
        server_update=server_update,
        inner_factory=inner,
    )
    with using(ProgramOptions(simulate_secure_aggregation=True)):
        trajectory, metrics, _ = run_rounds(process, _COHORTS)
    assert np.all(np.isfinite(trajectory))
    assert np.abs(trajectory[0] - initial_vector()).max() > 1e-3
    assert np.abs(trajectory[-1]).max() < 10
    for of_round, cohort in zip(metrics, _COHORTS):
        published = of_round["aggregator"]["cohort"]
        assert sorted(published["reports"]["client_index"]) == sorted(cohort)
        assert np.all(published["weights"] >= 0)
        assert published["num_left_out"] == 0
