"""WeiAvg's artifacts, cell by cell, typed in from the paper and not from the declarations."""

from __future__ import annotations

import pytest
from planned_runs import configurations_of

from experiments.papers import catalogue


@pytest.mark.parametrize(("name", "by"), [("fig6", "entropy"), ("fig7", "projection")])
def test_fed_prox_is_alone_and_together_with_wei_avg(name, by):
    """IV-B: 0.05 is the best μ."""
    found = {
        variant: (
            run.algorithm,
            run.hyperparameters.get("exponent"),
            run.hyperparameters.get("proximal_strength"),
        )
        for (dataset, variant), run in configurations_of(f"weiavg/{name}").items()
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
    for run in configurations_of(f"weiavg/{name}").values():
        assert run.hyperparameters.get("by", by) == by


def test_the_lambdas_of_which_the_paper_says_something_are_beside_fed_avg_in_the_claims():
    """Of 10 it says that it is unstable late; with 0.0001 the weights are equal to 0.03 %."""
    for by, figure in (("entropy", "fig3"), ("projection", "fig4")):
        found = {
            (claim.better, claim.worse)
            for claim in catalogue.claims()
            if claim.artifact == f"weiavg/{figure}" and claim.name.startswith("weiavg/lambda_")
        }
        assert found == {("WeiAvg, λ = 0.1", "FedAvg"), ("WeiAvg, λ = 1", "FedAvg")}, by
