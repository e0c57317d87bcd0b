"""Algorithms with local work that is not SGD of as many epochs for all."""

import functools

import numpy as np
import tensorflow_federated as tff
from reference.problem import client_data, functional_model, make_clients, to_vector

import tff_weights as tw
from tff_weights import CosineDecay, LocalTraining, UniformEpochs

_CLIENTS = make_clients((10, 30, 60), seed=3)


def _run(build, **given):
    training = LocalTraining(**{"learning_rate": 0.05, "batch_size": 10, "epochs": 2, **given})
    process = build(functional_model(), local_training=training)
    state, cohort = process.initialize(), [*map(client_data, range(3), _CLIENTS)]
    for _ in range(2):
        output = process.next(state, cohort)
        state = output.state
    return to_vector(process.get_model_weights(state).trainable), output.metrics


def test_any_steps_are_taken_and_give_the_same_under_xla():
    """Clients draw epochs, and Adam's rate falls by rounds: all end with finite weights."""
    build = functools.partial(tw.build_fed_fa, num_clients=3)
    given = {
        "epochs": UniformEpochs(1, 4),
        "optimizer": tff.learning.optimizers.build_adam,
        "learning_rate_schedule": CosineDecay(10),
    }
    plain, _ = _run(build, **given)
    compiled, _ = _run(build, **given, compile_with_xla=True)
    assert np.isfinite(plain).all()
    np.testing.assert_allclose(compiled, plain, rtol=1e-3, atol=1e-4)


def test_fed_nova_counts_the_steps_that_were_drawn():
    """Weights are `τ_eff p_i / τ_i`: of weights and steps the products are as the sizes."""
    _, metrics = _run(tw.build_fed_nova, epochs=UniformEpochs(1, 9))
    cohort = metrics["aggregator"]["cohort"]
    reports = cohort["reports"]
    assert len({*(np.asarray(reports["num_steps"]) / np.ceil(reports["num_examples"] / 10))}) > 1
    products = np.asarray(cohort["weights"]) * reports["num_steps"]
    shares = reports["num_examples"] / 100.0
    np.testing.assert_allclose(products / products.sum(), shares, rtol=1e-5)
