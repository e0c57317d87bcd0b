from __future__ import annotations

import pytest

from experiments import algorithms, recipes
from experiments.configuration import Seeds
from experiments.recipes import configure

_SYNTHETIC = ("synthetic_iid", "synthetic_0_0", "synthetic_0.5_0.5", "synthetic_1_1")


@pytest.mark.parametrize("dataset", _SYNTHETIC)
@pytest.mark.parametrize("algorithm", ["fed_avg", "fed_prox", "q_fed_avg", "scaffold", "fed_nova"])
def test_fed_fas_paper_trains_the_baselines_at_0_01(algorithm, dataset):
    configuration = configure(algorithm, dataset, {"rounds": 200})
    assert configuration.learning_rate == 0.01
    assert configuration.client_momentum == 0.0
    assert (configuration.batch_size, configuration.clients_per_round) == (10, 10)
    assert configuration.epochs == (5 if algorithm == "fed_nova" else 20)


@pytest.mark.parametrize("algorithm", ["fed_fa", "fed_fa_mo"])
@pytest.mark.parametrize(
    ("dataset", "client_momentum"), list(zip(_SYNTHETIC, (0.9, 0.9, 0.5, 0.5)))
)
def test_fed_fas_own_rate_and_momenta(algorithm, dataset, client_momentum):
    configuration = configure(algorithm, dataset, {"rounds": 200})
    assert configuration.learning_rate == 0.0001
    assert configuration.client_momentum == client_momentum
    assert configuration.hyperparameters["server_momentum"] == 0.5


def test_what_is_given_comes_before_the_recipe():
    configuration = configure(
        "fed_fa",
        "synthetic_1_1",
        {"rounds": 2, "learning_rate": 0.5, "server_momentum": 0.1, "seeds": Seeds(data=4)},
    )
    assert configuration.learning_rate == 0.5
    assert configuration.hyperparameters["server_momentum"] == 0.1
    assert configuration.hyperparameters["alpha"] == 0.5  # The builder's default, written out.
    assert configuration.seeds == Seeds(data=4)


def test_steps_take_the_place_of_epochs_and_back():
    configuration = configure("fed_avg", "synthetic_1_1", {"rounds": 2, "steps": 9})
    assert (configuration.epochs, configuration.steps) == (None, 9)
    configuration = configure("fed_veca", "synthetic_1_1", {"rounds": 2, "epochs": 3})
    assert (configuration.epochs, configuration.steps) == (3, None)


def test_a_hyperparameter_of_another_algorithm_is_named():
    with pytest.raises(ValueError, match="q is not used by fed_avg.* only by q_fed_avg"):
        configure("fed_avg", "synthetic_1_1", {"rounds": 2, "q": 1.0})


def test_a_hyperparameter_of_no_algorithm_is_named():
    with pytest.raises(ValueError, match="colour is not used by fed_avg"):
        configure("fed_avg", "synthetic_1_1", {"rounds": 2, "colour": 1.0})


def test_a_hyperparameter_that_is_missing_is_named(monkeypatch):
    def build(model, *, local_training, sharpness):
        raise NotImplementedError

    monkeypatch.setitem(algorithms.ALGORITHMS, "sharp", build)
    with pytest.raises(ValueError, match="sharpness is needed by sharp"):
        configure("sharp", "synthetic_1_1", {"rounds": 2})
    assert configure("sharp", "synthetic_1_1", {"rounds": 2, "sharpness": 1}).hyperparameters == {
        "sharpness": 1
    }


def test_an_unknown_algorithm_is_named():
    with pytest.raises(ValueError, match="'fedfa'"):
        configure("fedfa", "synthetic_1_1", {"rounds": 2})


@pytest.mark.parametrize("algorithm", list(algorithms.ALGORITHMS))
def test_every_algorithm_has_a_complete_configuration(algorithm):
    configuration = recipes.configure(algorithm, "synthetic_1_1", {"rounds": 1})
    assert set(configuration.hyperparameters) == set(algorithms.hyperparameter_defaults(algorithm))
