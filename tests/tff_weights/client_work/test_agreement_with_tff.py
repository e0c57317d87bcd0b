"""Local training gives what TFF's own gives, where neither shuffles."""

from __future__ import annotations

import collections
import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference.problem import (
    batches,
    client_data,
    functional_model,
    make_clients,
    model_weights,
    to_vector,
)

from tff_weights import (
    LocalTraining,
    StepDecay,
    build_client_work,
    build_fed_avg,
    build_fed_prox,
)

# Divisible by the batch size, and not.
_SIZES = (1, 10, 60, 63, 64, 65, 1000)
_BATCH_SIZE = 10
_EPOCHS = 2


@pytest.fixture(scope="module")
def clients():
    return make_clients(_SIZES, seed=7)


def _tff_updates(momentum):
    """The clients' updates by TFF's own client work."""
    return _tff_updates_of(tff.learning.optimizers.build_sgdm(0.05, momentum=momentum or None))


@functools.cache
def _tff_updates_of(optimizer):
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
        ("variables", False, 0.9, False),
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
    np.testing.assert_allclose(updates, _tff_updates(momentum), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize(
    ("name", "compile_with_xla"),
    [("adagrad", False), ("adam", True), ("adamw", False), ("rmsprop", True), ("yogi", False)],
)
def test_other_optimizers(clients, name, compile_with_xla):
    build = getattr(tff.learning.optimizers, f"build_{name}")
    updates = _updates(
        functional_model(), clients, optimizer=build, compile_with_xla=compile_with_xla
    )
    np.testing.assert_allclose(updates, _tff_updates_of(build(0.05)), rtol=1e-4, atol=1e-5)


def test_a_rate_that_falls_with_the_local_steps(clients):
    schedule = StepDecay(0.5, 3, by="step")
    falling = tff.learning.optimizers.schedule_learning_rate(
        tff.learning.optimizers.build_sgdm(0.05), lambda step: 0.05 * schedule(step)
    )
    updates = _updates(functional_model(), clients, learning_rate_schedule=schedule)
    np.testing.assert_allclose(updates, _tff_updates_of(falling), rtol=1e-5, atol=2e-6)


def _trajectory(process, data, num_rounds=3):
    state, trajectory = process.initialize(), []
    for _ in range(num_rounds):
        state = process.next(state, data).state
        trajectory.append(to_vector(process.get_model_weights(state).trainable))
    return trajectory


def _our_data(clients):
    return [client_data(index, examples) for index, examples in enumerate(clients)]


def _tff_data(clients):
    return [batches(examples, batch_size=_BATCH_SIZE, epochs=_EPOCHS) for examples in clients]


@pytest.mark.long
def test_tffs_proximal_term_has_the_other_sign(clients):
    """TFF 0.87 adds μ (w_t − w) to the gradient where μ/2 ‖w − w_t‖² has μ (w − w_t).

    One client and two steps on all of its examples: after the first, w − w_t is −η g; the second
    then differs from plain SGD's by η μ · η g in either direction, and their mean is plain SGD.
    """
    two_steps = {"batch_size": 64, "epochs": 2}
    data = [client_data(0, clients[4])]
    tffs = tff.learning.algorithms.build_weighted_fed_prox(
        functional_model(),
        proximal_strength=0.5,
        client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.5),
    )
    local_training = LocalTraining(learning_rate=0.5, shuffle=False, **two_steps)
    ours = build_fed_prox(functional_model(), local_training=local_training, proximal_strength=0.5)
    plain = build_fed_avg(functional_model(), local_training=local_training)
    (proximal,) = _trajectory(ours, data, 1)
    (opposite,) = _trajectory(tffs, [batches(clients[4], **two_steps)], 1)
    (neither,) = _trajectory(plain, data, 1)
    assert np.abs(proximal - neither).max() > 1e-3
    np.testing.assert_allclose((proximal + opposite) / 2, neither, atol=1e-6)


def _keras_model_fn():
    """With a layer that does not train, and one that normalises by what it saw in training."""
    keras_model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(
                5,
                input_shape=(4,),
                trainable=False,
                kernel_initializer=tf.keras.initializers.GlorotUniform(seed=1),
            ),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Dense(
                3, kernel_initializer=tf.keras.initializers.GlorotUniform(seed=2)
            ),
        ]
    )
    return tff.learning.models.from_keras_model(
        keras_model,
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        input_spec=collections.OrderedDict(
            x=tf.TensorSpec([None, 4]), y=tf.TensorSpec([None], tf.int32)
        ),
    )


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*[Bb]atch [Nn]ormalization.*")
def test_keras_models_with_weights_that_do_not_train():
    """The server's weights that do not train stay as they are."""
    clients = make_clients((30, 41), seed=8)
    tffs = tff.learning.algorithms.build_weighted_fed_avg(
        _keras_model_fn, client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.05)
    )
    ours = build_fed_avg(
        _keras_model_fn,
        local_training=LocalTraining(
            learning_rate=0.05, batch_size=_BATCH_SIZE, epochs=_EPOCHS, shuffle=False
        ),
    )
    np.testing.assert_allclose(
        _trajectory(ours, _our_data(clients), 2),
        _trajectory(tffs, _tff_data(clients), 2),
        atol=1e-5,
    )
    before = ours.get_model_weights(ours.initialize()).non_trainable
    after = ours.get_model_weights(ours.next(ours.initialize(), _our_data(clients)).state)
    assert len(before) == 4
    for first, second in zip(before, after.non_trainable):
        np.testing.assert_array_equal(first, second)
