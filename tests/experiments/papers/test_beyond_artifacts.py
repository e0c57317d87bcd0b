"""The comparisons that no paper makes."""

from __future__ import annotations

import pytest

from experiments.declaration.algorithm import OWN_MODELS
from experiments.papers import catalogue


@pytest.mark.parametrize("name", ["beyond/fairness", "beyond/fairness_networks"])
def test_the_fairness_table_has_every_algorithm_and_clients_alone(name):
    variants = catalogue.artifacts()[name].variants
    others = catalogue.papers()["fair"].algorithms  # In no committed comparison yet.
    algorithms = {
        each.attacked or name for name, each in catalogue.algorithms().items() if name not in others
    }
    assert {variant.algorithm for variant in variants} == algorithms
    for variant in variants:
        known = catalogue.algorithm(variant.algorithm)
        assert (known.evaluation == OWN_MODELS) == (variant.label == "alone")
