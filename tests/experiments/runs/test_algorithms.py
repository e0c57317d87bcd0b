from __future__ import annotations

import dataclasses
import inspect

import pytest
import tensorflow_federated as tff

from experiments.papers import catalogue
from experiments.runs import algorithms
from experiments.runs.configure import configure
from leaf_data.tasks import load_task


def test_hyperparameters_are_read_off_the_builder():
    assert algorithms.hyperparameter_defaults("fed_fa") == {
        "alpha": 0.5,
        "beta": 0.5,
        "accuracy_at": "after",
        "server_momentum": 0.5,
        "server_learning_rate": 1.0,
        "momentum_every_rounds": 1,
    }
    assert algorithms.hyperparameter_defaults("fed_prox") == {
        "proximal_strength": inspect.Parameter.empty,
        "weighting": "num_examples",
    }


def test_an_unknown_algorithm_is_named():
    with pytest.raises(ValueError, match="algorithm .*fed_avg, .*'fedavg'"):
        algorithms.hyperparameter_defaults("fedavg")


def test_an_unknown_hyperparameter_is_named(tmp_path):
    configuration = dataclasses.replace(
        configure("fed_avg", "synthetic_1_1", {"rounds": 1}), hyperparameters={"q": 1.0}
    )
    with pytest.raises(ValueError, match="q is not a hyperparameter of fed_avg"):
        algorithms.build_process(configuration, load_task("synthetic_1_1"), variates_dir=tmp_path)


@pytest.mark.parametrize("algorithm", list(catalogue.algorithms()))
def test_every_algorithm_is_an_iterative_process(algorithm, tmp_path):
    configuration = configure(algorithm, "synthetic_1_1", {"rounds": 1})
    process = algorithms.build_process(
        configuration, load_task("synthetic_1_1"), variates_dir=tmp_path
    )
    assert isinstance(process, tff.templates.IterativeProcess)
    assert list(tmp_path.iterdir()) == []
