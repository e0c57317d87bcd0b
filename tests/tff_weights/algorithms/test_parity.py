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
    build_fed_avg,
    build_fed_fa,
    build_fed_fa_mo,
    build_fed_prox,
    build_q_fed_avg,
)

_COMPILED = dataclasses.replace(LOCAL_TRAINING, compile_with_xla=True)
_IN_STEPS = dataclasses.replace(LOCAL_TRAINING, epochs=None, steps=7, shuffle=False)
_PROXIMAL = dataclasses.replace(LOCAL_TRAINING, proximal_strength=0.3)
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
    "fed_fa_mo uniform every other round": (
        build_fed_fa_mo,
        {"weighting": "uniform", "momentum_every_rounds": 2, **_BUILD_SERVER},
        algorithms.fed_fa_mo,
        {"weighting": "uniform", "every_rounds": 2, **_SERVER},
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


def test_five_rounds_of_fed_prox():
    process = build_fed_prox(
        functional_model(), local_training=LOCAL_TRAINING, proximal_strength=0.3
    )
    trajectory, _, _ = run_rounds(process)
    np.testing.assert_allclose(
        trajectory, simulate_rounds(algorithms.fed_avg, _PROXIMAL), atol=1e-4
    )
