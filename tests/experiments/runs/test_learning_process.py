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
    **dict.fromkeys(("aagg_ff_s", "aagg_ff_d", "power_of_choice"), (_MODEL, _MODEL + 4)),
    **dict.fromkeys(("fed_mgda", "prop_fair"), (_MODEL, _MODEL)),
    "scaffold": (2 * _MODEL, 2 * _MODEL),
    "ditto": (_MODEL, _MODEL),
    "centralized_sgd": (0, 0),
    "trained_alone": (0, 0),
}


@pytest.mark.parametrize(
    ("algorithm", "given", "papers"),
    [
        *((algorithm, {}, _PAPERS[algorithm]) for algorithm in catalogue.algorithms()),
        ("wei_avg", {"by": "entropy"}, (_MODEL, _MODEL + 4)),
    ],
)
def test_every_algorithm_is_an_iterative_process_with_its_papers_protocol(
    algorithm, given, papers, tmp_path
):
    run = resolve(configure(algorithm, "synthetic_1_1", {"rounds": 1, **given}))
    process = build_process(run, load_task("synthetic_1_1"), store_dir=tmp_path)
    assert isinstance(process, tff.templates.IterativeProcess)
    assert list(tmp_path.iterdir()) == []
    down, up, *of_paper = bytes_per_client(run, process).values()
    assert tuple(of_paper) == papers
    # How many models go up is the paper's, but for those whose updates are also measured.
    twice = algorithm in ("fed_adp", "wei_avg", "fed_mgda", "fed_fv") and not given
    assert up // _MODEL == papers[1] // _MODEL + twice
    if papers == (0, 0):  # Data that lie in one place are not sent.
        assert (down, up) == (0, 0)
