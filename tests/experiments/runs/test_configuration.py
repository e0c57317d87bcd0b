from __future__ import annotations

import dataclasses
import json

import pytest

from experiments.runs.configuration import RunConfiguration, Seeds

_CONFIGURATION = RunConfiguration(
    algorithm="fed_fa",
    dataset="synthetic_1_1",
    rounds=3,
    learning_rate=0.0001,
    client_sampling="proportional",
    epochs=None,
    steps=7,
    client_momentum=0.5,
    hyperparameters={"alpha": 0.3, "beta": 0.7, "accuracy_at": "before"},
    seeds=Seeds(data=1, sampling=2, model=3, shuffling=2**31 - 1),
)


def test_json_gives_the_same_configuration_back():
    assert RunConfiguration.from_json(_CONFIGURATION.to_json()) == _CONFIGURATION


def test_equal_configurations_have_the_same_text():
    other = dataclasses.replace(
        _CONFIGURATION, hyperparameters=dict(reversed(list(_CONFIGURATION.hyperparameters.items())))
    )
    assert other == _CONFIGURATION
    assert other.to_json() == _CONFIGURATION.to_json()


def test_the_first_model_of_the_data_set_may_be_left_out():
    unnamed = dataclasses.replace(_CONFIGURATION, dataset="mnist_case_1", model=None)
    named = dataclasses.replace(_CONFIGURATION, dataset="mnist_case_1", model="squared_svm")
    assert unnamed == named
    assert unnamed.to_json() == named.to_json()
    assert json.loads(unnamed.to_json())["model"] == "squared_svm"
    other = dataclasses.replace(named, model="fed_veca_cnn")
    assert RunConfiguration.from_json(other.to_json()) == other != named


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        _CONFIGURATION.to_json().replace('"rounds"', '"turns"'),
        _CONFIGURATION.to_json().replace('"rounds": 3', '"rounds": 0'),
    ],
)
def test_other_json_is_refused(text):
    with pytest.raises(ValueError):
        RunConfiguration.from_json(text)


_NAMED = {"client_momentum": "momentum", "dataset": "'mnits'"}


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "mnits"},
        {"model": "squared_svm"},
        {"rounds": 0},
        {"clients_per_round": 0},
        {"rounds_per_evaluation": 0},
        {"clients_per_evaluation": 0},
        {"client_sampling": "weighted"},
        {"learning_rate": 0.0},
        {"learning_rate": float("nan")},
        {"learning_rate_decay": 1.5},
        {"batch_size": 0},
        {"epochs": 1},  # As well as `steps`.
        {"steps": None},  # And no `epochs`.
        {"client_momentum": 1.0},
        {"attack_round": 0},
        {"attack_round": _CONFIGURATION.rounds + 1},
    ],
)
def test_a_bad_value_is_named(change):
    name = next(iter(change))
    with pytest.raises(ValueError, match=_NAMED.get(name, name)):
        dataclasses.replace(_CONFIGURATION, **change)


@pytest.mark.parametrize("seed", [-1, 2**31])
@pytest.mark.parametrize("name", ["data", "sampling", "model", "shuffling"])
def test_a_seed_out_of_range_is_named(name, seed):
    with pytest.raises(ValueError, match=f"{name}_seed"):
        Seeds(**{name: seed})


def test_local_training_is_the_clients_part():
    local_training = _CONFIGURATION.local_training(compile_with_xla=False)
    assert local_training.learning_rate == 0.0001
    assert (local_training.epochs, local_training.steps) == (None, 7)
    assert local_training.momentum == 0.5
    assert local_training.shuffle_seed == 2**31 - 1
