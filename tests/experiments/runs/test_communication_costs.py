"""Bytes of every algorithm on a model of 610 float32 weights, 2,440 bytes."""

from __future__ import annotations

import pytest

from experiments.papers import catalogue
from experiments.runs import algorithms
from experiments.runs.communication_costs import communication_here, communication_in_the_paper
from experiments.runs.configure import configure
from leaf_data.tasks import load_task
from tff_weights import Communication

_MODEL = 2440

# By FedFa's section 4.5 and the papers' algorithms: models and numbers, down and up.
_PAPERS = {
    "fed_avg": (_MODEL, _MODEL),
    "fed_prox": (_MODEL, _MODEL),
    "q_fed_avg": (_MODEL, _MODEL + 4),
    "fed_fa": (_MODEL, _MODEL + 2 * 4),
    "fed_fa_mo": (_MODEL, _MODEL),
    "fed_adp": (_MODEL, _MODEL),
    "fed_veca": (2 * _MODEL + 4, 2 * _MODEL + 3 * 4),
    "fed_cav": (_MODEL, _MODEL + 4),
    "fed_cav_lied_to": (_MODEL, _MODEL + 4),
    "wei_avg": (_MODEL, _MODEL),
    "fed_nova": (_MODEL, _MODEL + 4),
    "scaffold": (2 * _MODEL, 2 * _MODEL),
    "centralized_sgd": (0, 0),
    "trained_alone": (0, 0),
}


def _both(algorithm, tmp_path, **given):
    configuration = configure(algorithm, "synthetic_1_1", {"rounds": 1, **given})
    process = algorithms.build_process(
        configuration, load_task("synthetic_1_1"), variates_dir=tmp_path
    )
    return (
        communication_here(configuration, process),
        communication_in_the_paper(configuration, process),
    )


@pytest.mark.parametrize("algorithm", list(catalogue.algorithms()))
def test_every_algorithm_has_the_protocol_of_its_paper(algorithm, tmp_path):
    here, paper = _both(algorithm, tmp_path)
    assert paper == Communication(*_PAPERS[algorithm])
    # How many models go up is the paper's, but for the two whose clients measure their updates.
    twice = algorithm in ("fed_adp", "wei_avg")
    assert here.bytes_up // _MODEL == paper.bytes_up // _MODEL + twice


def test_an_entropy_is_sent_where_it_weighs(tmp_path):
    here, paper = _both("wei_avg", tmp_path, by="entropy")
    assert paper == Communication(_MODEL, _MODEL + 4)
    assert here.bytes_up // _MODEL == 1


def test_data_that_lie_in_one_place_are_not_sent(tmp_path):
    for algorithm in ("centralized_sgd", "trained_alone"):
        assert _both(algorithm, tmp_path) == (Communication(0, 0), Communication(0, 0))
