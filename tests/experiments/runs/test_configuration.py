from __future__ import annotations

import dataclasses
import json
import pickle

import pytest

from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.configure import configure, read_run, resolve

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
_RUN = resolve(_CONFIGURATION)


def test_the_order_of_hyperparameters_and_the_type_of_whole_numbers_do_not_count():
    reversed_ = dict(reversed(list(_CONFIGURATION.hyperparameters.items())))
    assert read_run(_CONFIGURATION.to_json()) == pickle.loads(pickle.dumps(_RUN)) == _RUN
    other = _RUN.with_settings(hyperparameters=reversed_, client_momentum=0.50)
    assert other == _RUN and hash(other) == hash(_RUN)
    assert other.with_settings(learning_rate=1) == other.with_settings(learning_rate=1.0)
    assert other.with_settings(rounds=4) != other


def test_the_first_model_of_the_data_set_may_be_left_out():
    unnamed, named, other = (
        resolve(dataclasses.replace(_CONFIGURATION, dataset="mnist_case_1", model=model))
        for model in (None, "squared_svm", "fed_veca_cnn")
    )
    assert unnamed == named
    text = unnamed.configuration.to_json()
    assert json.loads(text)["model"] == "squared_svm"
    assert read_run(text.replace("squared_svm", "fed_veca_cnn")) == other != named


def test_an_identity_is_what_differs_from_the_defaults():
    """By hand: FedFa's accuracy_at is "after" and its momentum 0.5, and 10 clients are a cohort."""
    run = configure("fed_fa", "mnist_x_class", {"rounds": 7, "pixels": "standardized"})
    configuration = run.configuration
    assert json.loads(run.identity) == {
        "schema": 1,
        "algorithm": "fed_fa",
        "dataset": "mnist_x_class",
        "learning_rate": configuration.learning_rate,
        "model": "fed_adp_cnn",
        "rounds": 7,
        "epochs": 1,
        "batch_size": configuration.batch_size,
        "client_momentum": 0.5,
        "learning_rate_decay": configuration.learning_rate_decay,
        "hyperparameters": {},
        "dataset_options": {"pixels": "standardized"},
        "seeds": {},
        "sources": {},
    }


def test_an_option_that_comes_later_changes_no_identity():
    """As a run wrote it before there were the hyperparameter `measured` and the option `pixels`."""
    run = configure("fed_avg", "mnist_x_class", {"rounds": 2})
    fields = json.loads(run.configuration.to_json())
    del fields["schema"], fields["sources"], fields["attack_round"]
    del fields["hyperparameters"]["measured"], fields["dataset_options"]["pixels"]
    assert read_run(json.dumps(fields)).identity == run.identity


def test_of_modules_of_ones_own_every_setting_counts():
    """Their defaults do not count, since they may change with their source."""
    own = resolve(
        dataclasses.replace(
            _CONFIGURATION, algorithm="tff_weights:build_fed_fa", hyperparameters={"alpha": 0.5}
        )
    )
    assert json.loads(own.identity)["hyperparameters"] == {"alpha": 0.5}
    assert own.with_settings(sources={"tff_weights": "1234"}) != own


def test_other_json_is_refused():
    text = _CONFIGURATION.to_json()
    changes = (('"rounds"', '"turns"'), ('"rounds": 3', '"rounds": 0'), ('a": 1', 'a": 2'))
    for other in ("{", "[]", "{}", *(text.replace(*change) for change in changes)):
        with pytest.raises(ValueError):
            RunConfiguration.from_json(other)


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "mnits"},
        {"model": "squared_svm"},
        {"rounds": 0},
        {"client_sampling": "weighted"},
        {"learning_rate": float("nan")},
        {"learning_rate_decay": 1.5},
        {"epochs": 1},  # As well as `steps`.
        {"steps": None},  # And no `epochs`.
        {"client_momentum": 1.0},
        {"attack_round": _CONFIGURATION.rounds + 1},
        {"target_accuracy": 100.5},
        {"least_rounds": 2},  # And no `target_accuracy`.
        {"target_accuracy": 50.0, "step_remainder": "last_rounds"},
        {"lengthened_at": "2,x"},
        {"lengthened_at": "2,1"},
        {"lengthened_at": "3"},
        {"lengthened_at": 3},
        {"leaf_dir": 5},
        {"validation_fraction": "0.2"},
        {"algorithm": 3},
    ],
)
def test_a_bad_value_is_named(change):
    *_, name = change
    with pytest.raises(ValueError, match=f"{name.removeprefix('client_')}|'mnits'"):
        resolve(dataclasses.replace(_CONFIGURATION, **change))

    for seed in (-1, 2**31):
        with pytest.raises(ValueError, match="shuffling_seed"):
            Seeds(shuffling=seed)
