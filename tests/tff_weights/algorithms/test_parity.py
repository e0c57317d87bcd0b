"""Five rounds of every algorithm on TFF end where an independent NumPy simulation ends.

The simulation visits the same examples in the same orders; everything else is restated. A further
algorithm is one function in `reference.algorithms` and one line here.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
from reference import algorithms
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds, simulate_rounds
from reference.problem import functional_model, initial_vector

from tff_weights import (
    build_centralized_sgd,
    build_fed_adp,
    build_fed_avg,
    build_fed_cav,
    build_fed_fa,
    build_fed_fa_mo,
    build_fed_nova,
    build_fed_prox,
    build_q_fed_avg,
    build_wei_avg,
)

_COMPILED = dataclasses.replace(LOCAL_TRAINING, compile_with_xla=True)
_IN_STEPS = dataclasses.replace(LOCAL_TRAINING, epochs=None, steps=7, shuffle=False)
_PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0)
_FRACTIONAL = dataclasses.replace(_PLAIN, epochs=1.3)
_FRESH_BATCHES = dataclasses.replace(_PLAIN, epochs=None, steps=9, fresh_batches=True)
_PROXIMAL = dataclasses.replace(LOCAL_TRAINING, proximal_strength=0.3)
_BY_ENTROPY = functools.partial(algorithms.wei_avg, by="entropy")
_SERVER = {"momentum": 0.5, "learning_rate": 0.8}
_BUILD_SERVER = {"server_momentum": 0.5, "server_learning_rate": 0.8}

_ALGORITHMS = {
    "fed_avg": (build_fed_avg, {}, algorithms.fed_avg, {}),
    "fed_avg uniform": (
        build_fed_avg,
        {"weighting": "uniform"},
        algorithms.fed_avg,
        {"weighting": "uniform"},
    ),
    "fed_avg in steps": (build_fed_avg, {"local_training": _IN_STEPS}, algorithms.fed_avg, {}),
    "fed_avg proximal": (build_fed_avg, {"local_training": _PROXIMAL}, algorithms.fed_avg, {}),
    "q_fed_avg": (build_q_fed_avg, {}, algorithms.q_fed_avg, {"q": 1.0}),
    "q_fed_avg square": (build_q_fed_avg, {"q": 2.0}, algorithms.q_fed_avg, {"q": 2.0}),
    "fed_fa": (
        build_fed_fa,
        {"num_clients": len(CLIENTS), **_BUILD_SERVER},
        algorithms.fed_fa,
        {"alpha": 0.5, **_SERVER},
    ),
    "fed_fa compiled": (
        build_fed_fa,
        {"num_clients": len(CLIENTS), "local_training": _COMPILED, **_BUILD_SERVER},
        algorithms.fed_fa,
        {"alpha": 0.5, **_SERVER},
    ),
    "fed_fa every third round": (
        build_fed_fa,
        {
            "num_clients": len(CLIENTS),
            "alpha": 0.3,
            "beta": 0.7,
            "accuracy_at": "before",
            "momentum_every_rounds": 3,
            **_BUILD_SERVER,
        },
        algorithms.fed_fa,
        {"alpha": 0.3, "accuracy_at": "before", "every_rounds": 3, **_SERVER},
    ),
    "fed_fa_mo": (build_fed_fa_mo, _BUILD_SERVER, algorithms.fed_fa_mo, _SERVER),
    "fed_fa_mo by examples every other round": (
        build_fed_fa_mo,
        {"weighting": "num_examples", "momentum_every_rounds": 2, **_BUILD_SERVER},
        algorithms.fed_fa_mo,
        {"weighting": "num_examples", "every_rounds": 2, **_SERVER},
    ),
    "fed_adp": (build_fed_adp, {"num_clients": len(CLIENTS)}, algorithms.fed_adp, {}),
    "fed_adp by the round": (
        build_fed_adp,
        {"num_clients": len(CLIENTS), "smoothing": "round", "alpha": 2.0},
        algorithms.fed_adp,
        {"smoothing": "round", "alpha": 2.0},
    ),
    "fed_adp of this round": (
        build_fed_adp,
        {"num_clients": len(CLIENTS), "smoothing": "none"},
        algorithms.fed_adp,
        {"smoothing": "none"},
    ),
    "wei_avg": (build_wei_avg, {}, algorithms.wei_avg, {}),
    "wei_avg by entropy": (
        build_wei_avg,
        {"by": "entropy", "exponent": 2.0, "multiply_by_num_examples": True},
        algorithms.wei_avg,
        {"by": "entropy", "exponent": 2.0, "multiply_by_num_examples": True},
    ),
    "fed_cav": (build_fed_cav, {}, algorithms.fed_cav, {}),
    "fed_cav without clipping": (
        build_fed_cav,
        {"clip": "none"},
        algorithms.fed_cav,
        {"clip": "none"},
    ),
    "fed_cav of sums": (
        build_fed_cav,
        {"loss_reduction": "sum"},
        algorithms.fed_cav,
        {"loss_reduction": "sum"},
    ),
    "fed_cav of sums compiled": (
        build_fed_cav,
        {"loss_reduction": "sum", "clip": "none", "local_training": _COMPILED},
        algorithms.fed_cav,
        {"loss_reduction": "sum", "clip": "none"},
    ),
    "fed_nova": (build_fed_nova, {"local_training": _PLAIN}, algorithms.fed_nova, {}),
    "fed_nova with momentum": (build_fed_nova, {}, algorithms.fed_nova, {}),
    "fed_nova in fractions of epochs": (
        build_fed_nova,
        {"local_training": _FRACTIONAL},
        algorithms.fed_nova,
        {},
    ),
    "fed_avg with fresh batches": (
        build_fed_avg,
        {"local_training": _FRESH_BATCHES},
        algorithms.fed_avg,
        {},
    ),
}


@pytest.mark.parametrize("name", _ALGORITHMS)
def test_five_rounds(name):
    build, arguments, algorithm, parameters = _ALGORITHMS[name]
    arguments = {"local_training": LOCAL_TRAINING, **arguments}
    expected = simulate_rounds(
        functools.partial(algorithm, **parameters), arguments["local_training"]
    )
    trajectory, _, _ = run_rounds(build(functional_model(), **arguments))
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
    assert np.abs(trajectory[-1] - initial_vector()).max() > 0.1


@pytest.mark.parametrize(
    ("build", "algorithm"),
    [
        (build_fed_prox, algorithms.fed_avg),
        (build_fed_nova, algorithms.fed_nova),
        (build_wei_avg, algorithms.wei_avg),
        (functools.partial(build_wei_avg, by="entropy"), _BY_ENTROPY),
    ],
    ids=["fed_prox", "fed_nova", "wei_avg", "wei_avg by entropy"],
)
@pytest.mark.parametrize("strength", [0.8, pytest.param(0.05, marks=pytest.mark.long)])
def test_five_rounds_with_a_proximal_term(build, algorithm, strength):
    """Which is an argument of the algorithm, not of its local training."""
    process = build(functional_model(), local_training=_PLAIN, proximal_strength=strength)
    trajectory, _, _ = run_rounds(process)
    local_training = dataclasses.replace(_PLAIN, proximal_strength=strength)
    np.testing.assert_allclose(trajectory, simulate_rounds(algorithm, local_training), atol=1e-4)


def test_five_rounds_of_centralized_sgd():
    """One client that holds everything, here the fifth's examples, is its own mean."""
    cohorts = [[4]] * 5
    process = build_centralized_sgd(functional_model(), local_training=_FRESH_BATCHES)
    trajectory, _, _ = run_rounds(process, cohorts)
    expected = simulate_rounds(algorithms.fed_avg, _FRESH_BATCHES, cohorts)
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
