"""The process of every algorithm on a model of 610 float32 weights, 2,440 bytes."""

from __future__ import annotations

import pytest
import tensorflow_federated as tff

from experiments.papers import catalogue
from experiments.runs.configure import configure
from experiments.runs.learning_process import build_process, bytes_per_client
from leaf_data.tasks import load_task

_MODEL = 2440

# By FedFa's section 4.5 and the papers' algorithms: models and numbers, down and up.
_PAPERS = {
    **dict.fromkeys(("fed_avg", "fed_prox", "fed_fa_mo", "fed_adp", "wei_avg"), (_MODEL, _MODEL)),
    **dict.fromkeys(("fed_mgda", "prop_fair", "ditto"), (_MODEL, _MODEL)),
    **dict.fromkeys(("fed_cav", "fed_cav_misreporting", "fed_nova"), (_MODEL, _MODEL + 4)),
    **dict.fromkeys(("q_fed_avg", "term", "fed_eba", "afl", "fed_disco"), (_MODEL, _MODEL + 4)),
    **dict.fromkeys(("fed_fv", "aagg_ff_s", "aagg_ff_d"), (_MODEL, _MODEL + 4)),
    "power_of_choice": (_MODEL, _MODEL + 4),
    "drfa": (2 * _MODEL + 4, 2 * _MODEL + 4),
    "fed_fa": (_MODEL, _MODEL + 2 * 4),
    "fed_veca": (2 * _MODEL + 4, 2 * _MODEL + 3 * 4),
    "scaffold": (2 * _MODEL, 2 * _MODEL),
    **dict.fromkeys(("centralized_sgd", "trained_alone"), (0, 0)),
}


# What sends the same as one of these is left to the long run.
_BY_DEFAULT = (
    *("fed_avg", "fed_adp", "fed_cav", "fed_fa", "fed_veca", "scaffold", "drfa"),
    "trained_alone",
)


@pytest.mark.parametrize(
    ("algorithm", "given", "papers"),
    [
        *(
            pytest.param(
                *(algorithm, {}, _PAPERS[algorithm]),
                marks=() if algorithm in _BY_DEFAULT else pytest.mark.long,
                id=algorithm,
            )
            for algorithm in catalogue.algorithms()
        ),
        pytest.param(
            *("wei_avg", {"by": "entropy"}, (_MODEL, _MODEL + 4)),
            marks=pytest.mark.long,
            id="wei_avg by entropy",
        ),
    ],
)
def test_every_algorithm_is_an_iterative_process_with_its_papers_protocol(
    algorithm, given, papers, tmp_path
):
    run = configure(algorithm, "synthetic_1_1", {"rounds": 1, **given})
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
