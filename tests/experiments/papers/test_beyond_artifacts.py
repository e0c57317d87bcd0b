"""The comparisons that no paper makes."""

from __future__ import annotations

import pytest
from planned_runs import configurations_of

from experiments.declaration.algorithm import OWN_MODELS
from experiments.papers import catalogue
from experiments.runs.configure import find_algorithm


@pytest.mark.parametrize("name", ["beyond/fairness", "beyond/fairness_networks"])
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
