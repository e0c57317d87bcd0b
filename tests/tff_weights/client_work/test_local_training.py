"""Tests of `tff_weights.client_work.local_training`: what goes together, besides the ranges."""

from __future__ import annotations

import pytest
import tensorflow_federated as tff

from tff_weights import LocalTraining, StepDecay
from tff_weights.client_work.local_training import check_plain_sgd

_adam = tff.learning.optimizers.build_adam


def _training(**arguments):
    return LocalTraining(**{"learning_rate": 0.1, "batch_size": 10, "epochs": 2, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 3}, "epochs=2 .*steps=3"),
        ({"epochs": None}, "epochs=None .*steps=None"),
        ({"fresh_batches": True}, "fresh_batches .*steps=None"),
        ({"epochs": None, "steps": 2, "shuffle": False, "fresh_batches": True}, "shuffle=False"),
        ({"optimizer": 3}, "optimizer .*int"),
        ({"optimizer": _adam, "momentum": 0.5}, "momentum=0.5"),
        ({"local_loss": 2.0}, "local_loss must be a function .*float"),
        ({"learning_rate_schedule": 0.5}, "learning_rate_schedule .*0.5"),
        (
            {"learning_rate_schedule": StepDecay(0.5, 2), "learning_rate_decay": 0.5},
            "learning_rate_decay=0.5",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        _training(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"momentum": 0.5},
        {"proximal_strength": 0.1},
        {"optimizer": _adam},
        {"learning_rate_schedule": StepDecay(0.5, 2, by="step")},
    ],
)
def test_what_is_no_plain_sgd_at_one_rate_a_round_is_refused(arguments):
    with pytest.raises(ValueError, match=f"Algorithm .*{next(iter(arguments))}"):
        check_plain_sgd("Algorithm", _training(**arguments))
    check_plain_sgd("Algorithm", _training(learning_rate_schedule=StepDecay(0.5, 2)))
