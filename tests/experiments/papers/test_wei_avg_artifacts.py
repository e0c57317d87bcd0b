"""WeiAvg's artifacts, cell by cell, typed in from the paper and not from the room."""

from __future__ import annotations

import dataclasses

import pytest
from planned_runs import configurations_of

from experiments.papers import catalogue

_DATASETS = ("mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy")
# Table I: M, N, n, B, E.
_TABLE_1 = {
    "mnist_entropy": (3000, 100, 10, 64, 10),
    "fashion_mnist_entropy": (4000, 100, 10, 32, 10),
    "cifar10_entropy": (4000, 100, 10, 32, 20),
}
_FIGURES = tuple(f"fig{number}" for number in range(2, 12))
_EXPONENTS = [0.0001, 0.1, 1.0, 10.0]


def _configurations(name, scale="paper"):
    return configurations_of(f"weiavg/{name}", scale)


@pytest.mark.parametrize("name", [*_FIGURES, "lambda", "even"])
def test_table_1_is_what_all_are_run_with(name):
    """E apart in figures 10 and 11; momentum 0.9 (IV), 100 rounds and the rate by decision."""
    for (dataset, _), run in _configurations(name).items():
        options = run.dataset_options
        found = (
            options["num_samples"],
            options["num_clients"],
            run.clients_per_round,
            run.batch_size,
            run.epochs,
        )
        at = 4 if name in ("fig10", "fig11") else 5
        assert found[:at] == _TABLE_1[dataset][:at]
        assert (run.client_momentum, run.learning_rate, run.rounds) == (0.9, 0.01, 100)
        assert run.model == "fed_adp_cnn"


@pytest.mark.parametrize(
    ("name", "datasets"),
    [
        *((name, _DATASETS) for name in ("fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "even")),
        # IV-C and IV-D: "The experimental results on FashionMNIST".
        *((name, ("fashion_mnist_entropy",)) for name in ("fig8", "fig9", "fig10", "fig11")),
    ],
)
def test_the_data_sets_of_a_figure(name, datasets):
    assert catalogue.artifacts()[f"weiavg/{name}"].datasets == datasets


@pytest.mark.parametrize(
    ("name", "by"), [("fig2", "projection"), ("fig3", "entropy"), ("fig4", "projection")]
)
def test_every_exponent_is_run(name, by):
    exponents = [
        run.hyperparameters["exponent"]
        for (dataset, _), run in _configurations(name).items()
        if dataset == "mnist_entropy" and run.algorithm == "wei_avg"
    ]
    assert exponents == _EXPONENTS
    for run in _configurations(name).values():
        assert run.hyperparameters.get("by", by) == by


def test_the_sweep_over_lambda_is_figures_3_and_4():
    shown, fig_3, fig_4 = (
        set(_configurations(name).values()) for name in ("lambda", "fig3", "fig4")
    )
    assert shown == fig_3 | fig_4
    groups = {
        variant.group: variant.settings.get("by")
        for variant in catalogue.artifacts()["weiavg/lambda"].variants
    }
    assert groups == {None: None, "entropy": "entropy", "projection": "projection"}


@pytest.mark.parametrize(("name", "by"), [("fig6", "entropy"), ("fig7", "projection")])
def test_fed_prox_is_alone_and_together_with_wei_avg(name, by):
    """IV-B: 0.05 is the best μ."""
    found = {
        variant: (
            run.algorithm,
            run.hyperparameters.get("exponent"),
            run.hyperparameters.get("proximal_strength"),
        )
        for (dataset, variant), run in _configurations(name).items()
        if dataset == "cifar10_entropy"
    }
    assert found == {
        "FedAvg": ("fed_avg", None, None),
        "FedProx": ("fed_prox", None, 0.05),
        "WeiAvg": ("wei_avg", 1.0, 0.0),
        "WeiAvg + FedProx": ("wei_avg", 1.0, 0.05),
        "WeiAvg, λ = 0.0001": ("wei_avg", 0.0001, 0.0),
        "WeiAvg, λ = 0.0001 + FedProx": ("wei_avg", 0.0001, 0.05),
    }
    for run in _configurations(name).values():
        assert run.hyperparameters.get("by", by) == by


def test_figures_8_and_9_vary_p_and_figures_10_and_11_the_epochs():
    for name in ("fig8", "fig9"):
        values = {run.dataset_options["p"] for run in _configurations(name).values()}
        assert values == {0.0, 0.4, 0.8}
    for name in ("fig10", "fig11"):
        epochs = {run.epochs for run in _configurations(name).values()}
        assert epochs == {1, 2, 5, 10}


def test_the_control_with_even_labels_differs_from_the_figures_by_p_alone():
    even = _configurations("even")
    for (dataset, variant), run in even.items():
        assert run.dataset_options["p"] == 0.0
        skewed = dataclasses.replace(run, dataset_options={**run.dataset_options, "p": 0.8})
        figure, there = {
            "FedAvg": ("fig3", "FedAvg"),
            "WeiAvg by entropy": ("fig3", "WeiAvg, λ = 1"),
            "WeiAvg by projection": ("fig4", "WeiAvg, λ = 1"),
        }[variant]
        assert skewed == _configurations(figure)[dataset, there]
    assert (
        even["fashion_mnist_entropy", "WeiAvg by projection"]
        == _configurations("fig9")["fashion_mnist_entropy", "WeiAvg, p = 0"]
    )


def test_the_control_on_cifar_10_varies_p_and_the_rate_of_fed_avg():
    found = {
        variant: (run.algorithm, run.dataset_options["p"], run.learning_rate)
        for (_, variant), run in _configurations("cifar10").items()
    }
    assert found == {
        "p = 0.8, rate 0.01": ("fed_avg", 0.8, 0.01),
        "p = 0.8, rate 0.001": ("fed_avg", 0.8, 0.001),
        "p = 0, rate 0.01": ("fed_avg", 0.0, 0.01),
    }
    shared = _configurations("cifar10")
    assert (
        shared["cifar10_entropy", "p = 0.8, rate 0.01"]
        == _configurations("fig3")["cifar10_entropy", "FedAvg"]
    )
    assert (
        shared["cifar10_entropy", "p = 0, rate 0.01"]
        == _configurations("even")["cifar10_entropy", "FedAvg"]
    )


@pytest.mark.parametrize("name", ["fig2", "fig10"])
def test_correlations_measure_both_quantities(name):
    for run in _configurations(name, "smoke").values():
        assert run.hyperparameters["measured"] == "projection_on_mean,label_entropy"


def test_one_run_serves_many_figures():
    """FedAvg on Fashion-MNIST with p = 0.8 and E = 10, in eight figures."""
    assert (
        len(
            {
                _configurations(name)["fashion_mnist_entropy", variant]
                for name, variant in (
                    *((name, "FedAvg") for name in ("fig2", "fig3", "fig5", "fig6", "fig7")),
                    ("fig8", "p = 0.8"),
                    ("fig9", "FedAvg, p = 0.8"),
                    ("fig11", "FedAvg, E = 10"),
                )
            }
        )
        == 1
    )


def test_the_best_lambda_is_beside_fed_avg_in_the_claims():
    claims = {claim.name: claim for claim in catalogue.claims()}
    for by, figure in (("entropy", "fig3"), ("projection", "fig4")):
        claim = claims[f"weiavg/best_lambda_{by}"]
        assert (claim.artifact, claim.better, claim.worse) == (
            f"weiavg/{figure}",
            "WeiAvg, best λ",
            "FedAvg",
        )
        assert len(catalogue.artifacts()[claim.artifact].best_of["WeiAvg, best λ"]) == 4


def test_the_lambdas_of_which_the_paper_says_something_are_beside_fed_avg_in_the_claims():
    """Of 10 it says that it is unstable late; with 0.0001 the weights are equal to 0.03 %."""
    for by, figure in (("entropy", "fig3"), ("projection", "fig4")):
        found = {
            (claim.better, claim.worse)
            for claim in catalogue.claims()
            if claim.artifact == f"weiavg/{figure}" and claim.name.startswith("weiavg/lambda_")
        }
        assert found == {("WeiAvg, λ = 0.1", "FedAvg"), ("WeiAvg, λ = 1", "FedAvg")}, by
