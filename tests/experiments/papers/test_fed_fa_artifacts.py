"""FedFa's artifacts, cell by cell; the settings are of its section 4."""

from __future__ import annotations

import pytest

from experiments.papers import catalogue
from experiments.runs.plan import artifact_runs


@pytest.mark.parametrize(("number", "rate"), [(2, 0.01), (4, 0.001), (5, 0.0001), (6, 0.01)])
def test_baselines_have_the_figures_rate_and_fed_fa_mo_its_own(number, rate):
    """Figures 2, 4 and 5 of four synthetic sets, 6 of the Dirichlet ones; FedNova has 5 epochs."""
    runs = list(artifact_runs(catalogue.artifacts()[f"fedfa/fig{number}"], "paper", (1,)))
    assert len(runs) == 4 * 6
    for run in runs:
        made = run.resolved.configuration
        assert run.dataset.startswith("synthetic_dirichlet") is (number == 6)
        assert made.learning_rate == (0.0001 if made.algorithm == "fed_fa_mo" else rate)
        assert (made.rounds, made.epochs) == (200, 5 if run.variant == "FedNova" else 20)


def test_a_claim_of_the_paper_is_true_of_its_own_numbers():
    """What the paper says in words must be in its tables, on the data sets that it is said of."""
    for claim in catalogue.papers()["fedfa"].claims:
        artifact = catalogue.artifacts()[claim.artifact]
        values = artifact.paper_values()
        columns = {metric.key: metric.paper_column for metric in artifact.metrics}
        if not values:
            continue
        for dataset in claim.datasets or artifact.datasets:
            column = columns[claim.metric.key]
            better = values[dataset, claim.better, column]
            worse = values[dataset, claim.worse, column]
            assert (better < worse) == claim.metric.smaller_is_better, (claim.name, dataset)
