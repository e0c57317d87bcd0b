"""Tests of `tff_weights.client_work.local_training`."""

from __future__ import annotations

import dataclasses
import math

import pytest

from tff_weights import LocalTraining


def test_defaults_are_plain_sgd():
    local_training = LocalTraining(learning_rate=0.1, batch_size=10, epochs=1)
    assert local_training.steps is None
    assert local_training.momentum == 0
    assert local_training.proximal_strength == 0
    assert local_training.learning_rate_decay == 1
    assert local_training.shuffle
    assert not local_training.compile_with_xla
    with pytest.raises(dataclasses.FrozenInstanceError):
        local_training.momentum = 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate .*0.0"),
        ({"learning_rate": -1.0}, "learning_rate .*-1.0"),
        ({"learning_rate": math.nan}, "learning_rate .*nan"),
        ({"learning_rate": math.inf}, "learning_rate .*inf"),
        ({"batch_size": 0}, "batch_size .*0"),
        ({"epochs": 0}, "epochs .*0"),
        ({"epochs": None, "steps": -1}, "steps .*-1"),
        ({"steps": 3}, "epochs=2 .*steps=3"),
        ({"epochs": None}, "epochs=None .*steps=None"),
        ({"momentum": 1.0}, "momentum .*1.0"),
        ({"momentum": -0.1}, "momentum .*-0.1"),
        ({"momentum": math.nan}, "momentum .*nan"),
        ({"proximal_strength": -1.0}, "proximal_strength .*-1.0"),
        ({"proximal_strength": math.inf}, "proximal_strength .*inf"),
        ({"learning_rate_decay": 0.0}, "learning_rate_decay .*0.0"),
        ({"learning_rate_decay": 1.01}, "learning_rate_decay .*1.01"),
        ({"shuffle_seed": -1}, "shuffle_seed .*-1"),
        ({"shuffle_seed": 2**31}, "shuffle_seed .*2147483648"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        LocalTraining(**{"learning_rate": 0.1, "batch_size": 10, "epochs": 2, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 2.5}, "batch_size .*2.5"),
        ({"epochs": None, "steps": 2.5}, "steps .*2.5"),
        ({"shuffle_seed": 0.5}, "shuffle_seed .*0.5"),
    ],
)
def test_what_must_be_whole_is_refused_when_it_is_not(arguments, message):
    """Here and by name, not by TensorFlow while a process is built."""
    with pytest.raises((TypeError, ValueError), match=message):
        LocalTraining(**{"learning_rate": 0.1, "batch_size": 10, "epochs": 2, **arguments})


@pytest.mark.parametrize(
    "arguments",
    [
        {"learning_rate": 1, "epochs": 1},
        {"learning_rate": 1e-9, "steps": 0},
        {"learning_rate": 1.0, "epochs": 1, "batch_size": 1, "momentum": 0.999},
        {"learning_rate": 1.0, "epochs": 1, "shuffle_seed": 2**31 - 1, "learning_rate_decay": 1e-3},
    ],
)
def test_the_edges_are_allowed(arguments):
    LocalTraining(**{"batch_size": 10, **arguments})
