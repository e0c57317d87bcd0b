"""The comparisons that no paper makes."""

from __future__ import annotations

import dataclasses

import pytest
from planned_runs import artifact_of, configurations_of

from experiments.declaration.algorithm import OWN_MODELS
from experiments.papers import catalogue
from experiments.runs.configure import find_algorithm
from leaf_data import registry

_FAIRNESS = ("beyond/fairness", "beyond/fairness_networks")


def test_the_fairness_tables_have_the_papers_data_sets():
    """Not LEAF's own, the easier cases of FedVeca, and the tweets, which FedFa's tables have."""
    linear, networks = (set(artifact_of(name).datasets) for name in _FAIRNESS)
    assert not linear & networks
    easier = {f"{images}_case_{number}" for images in ("mnist", "cifar10") for number in (1, 2)}
    others = {name for name in registry.names() if name.startswith("leaf")}
    assert linear | networks == set(registry.names()) - easier - others - {"sent140"}


@pytest.mark.parametrize("name", _FAIRNESS)
def test_the_fairness_table_has_every_algorithm_and_clients_alone(name):
    configurations = configurations_of(name)
    others = catalogue.papers()["fair"].algorithms  # In no committed comparison yet.
    algorithms = {
        each.attacked or name for name, each in catalogue.algorithms().items() if name not in others
    }
    assert {run.algorithm for run in configurations.values()} == algorithms
    for (_, label), configuration in configurations.items():
        known = find_algorithm(configuration.algorithm)
        assert (known.evaluation == OWN_MODELS) == (label == "alone")


@pytest.mark.parametrize("scale", ["short", "paper"])
def test_language_has_few_examples_of_each_client_at_fed_fas_rates(scale):
    """500 windows of 5 roles, one epoch; accounts of 5 tweets, 20; rates 0.8, 0.08; 0.3, 0.0001.

    One control, FedFa on the roles with steps as long as theirs: 0.8 (1 - 0.5) (1 - 0.5) = 0.2.
    """
    configurations = configurations_of("beyond/language", scale)
    control = configurations.pop(("shakespeare", "FedFa at 0.2"))
    momenta = (control.client_momentum, control.hyperparameters["server_momentum"])
    assert (control.algorithm, control.learning_rate, momenta) == ("fed_fa", 0.2, (0.5, 0.5))
    fed_fa = configurations["shakespeare", "FedFa"]
    assert dataclasses.replace(control, learning_rate=fed_fa.learning_rate) == fed_fa
    assert len(configurations) == 2 * 5
    for (dataset, label), run in configurations.items():
        options = run.dataset_options
        if dataset == "shakespeare":
            assert (options["max_samples_per_client"], run.epochs) == (500, 1)
        else:
            assert (options["min_tweets_per_account"], options["sample_fraction"]) == (5, 1.0)
            assert run.epochs == 20
        rates = {"shakespeare": (0.8, 0.08), "sent140": (0.3, 0.0001)}[dataset]
        assert run.learning_rate == rates[label == "FedFa"]
        assert run.clients_per_round == {"shakespeare": 5, "sent140": 10}[dataset]
        assert (run.batch_size, run.steps) == (10, None)
