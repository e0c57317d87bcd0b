"""The pictures on the pages of algorithms, as far as they need none of the packages of the site."""

from __future__ import annotations

import importlib.util

import pytest
from documentation_pages import DOCS

from experiments.papers import catalogue

_SPEC = importlib.util.spec_from_file_location("curves", DOCS / "hooks" / "curves.py")
curves = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(curves)


@pytest.mark.parametrize("algorithm", catalogue.algorithms())
def test_every_artifact_can_be_narrowed_to_an_algorithm_beside_fed_avg(algorithm):
    """Whatever it sets by data set, method or scale."""
    found = [curves.narrowed(each, algorithm) for each in catalogue.artifacts().values()]
    narrowed = [artifact for artifact in found if artifact is not None]
    # Some that nothing compares with FedAvg.
    assert narrowed or algorithm in ("fed_cav_misreporting", *catalogue.papers()["fair"].algorithms)
    for artifact in narrowed:
        assert artifact.datasets == ("synthetic_1_1",)
        algorithms = [variant.algorithm for variant in artifact.variants]
        assert algorithms == list(dict.fromkeys(("fed_avg", algorithm)))
