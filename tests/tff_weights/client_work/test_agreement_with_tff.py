"""Local training gives what TFF's own gives, where neither shuffles."""

import numpy as np
import pytest
import tensorflow_federated as tff
from reference.problem import (
    batches,
    client_data,
    functional_model,
    make_clients,
    model_weights,
    to_vector,
)

from tff_weights import LocalTraining, StepDecay, build_client_work, build_fed_avg, build_fed_prox

_build_sgdm = tff.learning.optimizers.build_sgdm
# Divisible by the batch size, and not.
_SIZES = (1, 10, 60, 63, 64, 65, 1000)
_BATCH_SIZE = 10
_EPOCHS = 2


@pytest.fixture(scope="module")
def clients():
    return make_clients(_SIZES, seed=7)


def _tff_updates(optimizer):
    """The clients' updates by TFF's own client work."""
    process = tff.learning.templates.build_functional_model_delta_client_work(
        model=functional_model(),
        optimizer=optimizer,
        client_weighting=tff.learning.ClientWeighting.NUM_EXAMPLES,
    )
    output = process.next(
        process.initialize(),
        [model_weights()] * len(_SIZES),
        [
            batches(examples, batch_size=_BATCH_SIZE, epochs=_EPOCHS)
            for examples in make_clients(_SIZES, seed=7)
        ],
    )
    return [to_vector(result.update) for result in output.result]


def _updates(model, clients, *, pairs=False, **arguments):
    process = build_client_work(
        model,
        LocalTraining(
            learning_rate=0.05, batch_size=_BATCH_SIZE, epochs=_EPOCHS, shuffle=False, **arguments
        ),
        report_fields=("num_examples",),
    )
    output = process.next(
        process.initialize(),
        [model_weights()] * len(clients),
        [client_data(index, examples, pairs=pairs) for index, examples in enumerate(clients)],
    )
    return [to_vector(result.update) for result in output.result]


@pytest.mark.parametrize(
    ("kind", "pairs", "momentum", "compile_with_xla"),
    [
        ("functional", False, 0.0, False),
        ("functional", True, 0.9, True),
        ("variables", True, 0.9, False),
    ],
)
def test_momentum_sgd(clients, kind, pairs, momentum, compile_with_xla):
    """With either kind of model, and with examples that are mappings or pairs."""
    model = functional_model(pairs=pairs)
    updates = _updates(
        model if kind == "functional" else lambda: tff.learning.models.model_from_functional(model),
        clients,
        pairs=pairs,
        momentum=momentum,
        compile_with_xla=compile_with_xla,
    )
    np.testing.assert_allclose(
        updates, _tff_updates(_build_sgdm(0.05, momentum or None)), rtol=1e-5, atol=2e-6
    )


@pytest.mark.parametrize(("name", "compile_with_xla"), [("adam", True), ("yogi", False)])
def test_other_optimizers(clients, name, compile_with_xla):
    build = getattr(tff.learning.optimizers, f"build_{name}")
    updates = _updates(
        functional_model(), clients, optimizer=build, compile_with_xla=compile_with_xla
    )
    np.testing.assert_allclose(updates, _tff_updates(build(0.05)), rtol=1e-4, atol=1e-5)


def test_a_rate_that_falls_with_the_local_steps(clients):
    schedule = StepDecay(0.5, 3, by="step")
    falling = tff.learning.optimizers.schedule_learning_rate(
        _build_sgdm(0.05), lambda step: 0.05 * schedule(step)
    )
    updates = _updates(functional_model(), clients, learning_rate_schedule=schedule)
    np.testing.assert_allclose(updates, _tff_updates(falling), rtol=1e-5, atol=2e-6)


def _after_a_round(process, data):
    state = process.next(process.initialize(), data).state
    return to_vector(process.get_model_weights(state).trainable)


@pytest.mark.long
def test_tffs_proximal_term_has_the_other_sign(clients):
    """TFF 0.87 adds μ (w_t − w) to the gradient where μ/2 ‖w − w_t‖² has μ (w − w_t).

    One client and two steps on all of its examples: after the first, w − w_t is −η g; the second
    then differs from plain SGD's by η μ · η g in either direction, and their mean is plain SGD.
    """
    two_steps = {"batch_size": 64, "epochs": 2}
    data = [client_data(0, clients[4])]
    tffs = tff.learning.algorithms.build_weighted_fed_prox(
        functional_model(), proximal_strength=0.5, client_optimizer_fn=_build_sgdm(0.5)
    )
    local_training = LocalTraining(learning_rate=0.5, shuffle=False, **two_steps)
    ours = build_fed_prox(functional_model(), local_training=local_training, proximal_strength=0.5)
    plain = build_fed_avg(functional_model(), local_training=local_training)
    proximal, neither = _after_a_round(ours, data), _after_a_round(plain, data)
    opposite = _after_a_round(tffs, [batches(clients[4], **two_steps)])
    assert np.abs(proximal - neither).max() > 1e-3
    np.testing.assert_allclose((proximal + opposite) / 2, neither, atol=1e-6)
