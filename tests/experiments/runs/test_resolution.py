"""What the names in a configuration stand for."""

from __future__ import annotations

import dataclasses

import pytest

from experiments.runs.configure import configure
from experiments.runs.resolution import find_algorithm, resolve
from leaf_data import registry
from leaf_data.tasks import model_definition


def test_all_names_are_looked_up():
    run = resolve(configure("fed_fa", "mnist_case_1", {"rounds": 1, "model": "fed_veca_cnn"}))
    assert run.algorithm is find_algorithm("fed_fa")
    assert run.data_set is registry.definition("mnist_case_1")
    assert run.model == model_definition("fed_veca_cnn")


def test_an_unknown_algorithm_is_named():
    with pytest.raises(ValueError, match="fedavg"):
        find_algorithm("fedavg")


def test_an_unknown_hyperparameter_is_named():
    configuration = configure("fed_avg", "synthetic_1_1", {"rounds": 1})
    with pytest.raises(ValueError, match="q is"):
        resolve(dataclasses.replace(configuration, hyperparameters={"q": 1.0}))
