"""The process of every algorithm on a model of 610 float32 weights, 2,440 bytes."""

from __future__ import annotations

import pytest
import tensorflow_federated as tff

from experiments.papers import catalogue
from experiments.runs.configure import configure, resolve
from experiments.runs.learning_process import build_process, bytes_per_client
from leaf_data.tasks import load_task

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
    "fed_cav_misreporting": (_MODEL, _MODEL + 4),
    "wei_avg": (_MODEL, _MODEL),
    "fed_nova": (_MODEL, _MODEL + 4),
    **dict.fromkeys(("term", "fed_eba", "afl", "fed_disco", "fed_fv"), (_MODEL, _MODEL + 4)),
    **dict.fromkeys(("aagg_ff_s", "aagg_ff_d"), (_MODEL, _MODEL + 4)),
    **dict.fromkeys(("fed_mgda", "prop_fair"), (_MODEL, _MODEL)),
    "scaffold": (2 * _MODEL, 2 * _MODEL),
    "ditto": (_MODEL, _MODEL),
    "centralized_sgd": (0, 0),
    "trained_alone": (0, 0),
}


def _built(algorithm, tmp_path, **given):
    """A process, and (here down, here up, paper down, paper up)."""
    run = resolve(configure(algorithm, "synthetic_1_1", {"rounds": 1, **given}))
    process = build_process(run, load_task("synthetic_1_1"), store_dir=tmp_path)
    return process, tuple(bytes_per_client(run, process).values())


@pytest.mark.parametrize("algorithm", list(catalogue.algorithms()))
def test_every_algorithm_is_an_iterative_process_with_its_papers_protocol(algorithm, tmp_path):
    process, (_, up, *paper) = _built(algorithm, tmp_path)
    assert isinstance(process, tff.templates.IterativeProcess)
    assert list(tmp_path.iterdir()) == []
    assert tuple(paper) == _PAPERS[algorithm]
    # How many models go up is the paper's, but for those whose updates are also measured.
    twice = algorithm in ("fed_adp", "wei_avg", "fed_mgda", "fed_fv")
    assert up // _MODEL == paper[1] // _MODEL + twice


def test_an_entropy_is_sent_where_it_weighs(tmp_path):
    _, (_, up, *paper) = _built("wei_avg", tmp_path, by="entropy")
    assert paper == [_MODEL, _MODEL + 4]
    assert up // _MODEL == 1


@pytest.mark.parametrize("algorithm", ["centralized_sgd", "trained_alone"])
def test_data_that_lie_in_one_place_are_not_sent(algorithm, tmp_path):
    assert _built(algorithm, tmp_path)[1] == (0, 0, 0, 0)
