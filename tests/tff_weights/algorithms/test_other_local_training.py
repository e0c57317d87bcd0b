"""Which algorithms take local work that is not SGD of as many epochs for all, and which do not."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tensorflow_federated as tff
from reference.problem import client_data, functional_model, make_clients, to_vector

import tff_weights
from tff_weights import CosineDecay, LocalTraining, StepDecay, UniformEpochs

_ADAM = tff.learning.optimizers.build_adam
_OTHERS = {
    "optimizer": {"optimizer": _ADAM},
    "learning_rate_schedule": {"learning_rate_schedule": CosineDecay(5, by="step")},
}


def _training(**given):
    return LocalTraining(**{"learning_rate": 0.05, "batch_size": 10, "epochs": 2, **given})


_TAKE_SGD_ALONE = {
    "fed_nova": lambda training, folder: tff_weights.build_fed_nova(
        functional_model(), local_training=training
    ),
    "q_fed_avg": lambda training, folder: tff_weights.build_q_fed_avg(
        functional_model(), local_training=training
    ),
    "scaffold": lambda training, folder: tff_weights.build_scaffold(
        functional_model(), local_training=training, num_clients=3, variates_dir=folder
    ),
    "fed_veca": lambda training, folder: tff_weights.build_fed_veca(
        functional_model(), local_training=training, num_clients=3
    ),
    "measured gradients": lambda training, folder: tff_weights.build_fed_avg(
        functional_model(), local_training=training, measured="gradient_distance_to_mean"
    ),
}


@pytest.mark.parametrize("build", _TAKE_SGD_ALONE.values(), ids=_TAKE_SGD_ALONE)
@pytest.mark.parametrize("setting", _OTHERS)
def test_who_takes_updates_for_gradients_refuses_other_steps(build, setting, tmp_path):
    """Of Adam's step nobody knows the gradient from the update and the learning rate."""
    steps = {"epochs": None, "steps": 2} if build is _TAKE_SGD_ALONE["fed_veca"] else {}
    with pytest.raises(ValueError, match=setting):
        build(_training(**steps, **_OTHERS[setting]), tmp_path)


@pytest.mark.parametrize(
    "given",
    [{"epochs": UniformEpochs(1, 5)}, {"learning_rate_schedule": StepDecay(0.1, 2), "steps": 2}],
)
def test_fed_veca_whose_server_sets_the_steps_refuses_what_sets_them(given, tmp_path):
    given = {"epochs": None, **given} if "steps" in given else given
    with pytest.raises(ValueError, match="epochs|learning_rate_schedule"):
        _TAKE_SGD_ALONE["fed_veca"](_training(**given), tmp_path)


@pytest.mark.parametrize(
    "given", [{"momentum": 0.5, "optimizer": _ADAM}, {"optimizer": "adam"}, {"optimizer": 1.0}]
)
def test_an_optimizer_is_a_function_and_has_no_momentum_of_sgd(given):
    with pytest.raises(ValueError, match="optimizer|momentum"):
        _training(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"learning_rate_schedule": StepDecay(0.5, 2), "learning_rate_decay": 0.9},
        {"learning_rate_schedule": 0.9},
        {"learning_rate_schedule": lambda count: count},
    ],
)
def test_a_schedule_is_one_of_those_there_are_and_the_only_one(given):
    with pytest.raises(ValueError, match="learning_rate_schedule"):
        _training(**given)


_CLIENTS = make_clients((10, 30, 60), seed=3)


def _run(build, training, num_rounds=2):
    process = build(functional_model(), local_training=training)
    state, cohort = process.initialize(), [*map(client_data, range(3), _CLIENTS)]
    for _ in range(num_rounds):
        output = process.next(state, cohort)
        state = output.state
    return to_vector(process.get_model_weights(state).trainable), output.metrics


_BUILDERS = {
    "fed_avg": tff_weights.build_fed_avg,
    "fed_prox": functools.partial(tff_weights.build_fed_prox, proximal_strength=0.1),
    "fed_fa": functools.partial(tff_weights.build_fed_fa, num_clients=3),
    "fed_cav": tff_weights.build_fed_cav,
    "fed_adp": functools.partial(tff_weights.build_fed_adp, num_clients=3),
}


@pytest.mark.parametrize("build", _BUILDERS.values(), ids=_BUILDERS)
def test_the_others_take_any_steps_and_give_the_same_under_xla(build):
    """Clients draw epochs, and Adam's rate falls by rounds: all end with finite weights."""
    given = {
        "epochs": UniformEpochs(1, 4),
        "optimizer": _ADAM,
        "learning_rate_schedule": CosineDecay(10),
    }
    plain, _ = _run(build, _training(**given))
    compiled, _ = _run(build, _training(**given, compile_with_xla=True))
    assert np.isfinite(plain).all()
    np.testing.assert_allclose(compiled, plain, rtol=1e-3, atol=1e-4)


def test_fed_nova_counts_the_steps_that_were_drawn():
    """Weights are `τ_eff p_i / τ_i`: of weights and steps the products are as the sizes."""
    _, metrics = _run(tff_weights.build_fed_nova, _training(epochs=UniformEpochs(1, 9)))
    cohort = metrics["aggregator"]["cohort"]
    reports = cohort["reports"]
    assert len({*(np.asarray(reports["num_steps"]) / np.ceil(reports["num_examples"] / 10))}) > 1
    products = np.asarray(cohort["weights"]) * reports["num_steps"]
    np.testing.assert_allclose(
        products / products.sum(), reports["num_examples"] / 100.0, rtol=1e-5
    )


def test_epochs_of_one_number_are_those_that_all_take():
    """`UniformEpochs(2, 2)` leaves nothing to chance."""
    drawn, _ = _run(tff_weights.build_fed_avg, _training(epochs=UniformEpochs(2, 2)))
    fixed, _ = _run(tff_weights.build_fed_avg, _training())
    np.testing.assert_array_equal(drawn, fixed)
