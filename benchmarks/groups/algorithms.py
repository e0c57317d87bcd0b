"""Every other algorithm beside FedAvg; those that equal it in a first round are checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow_federated as tff

import tff_weights
from benchmarks import contenders, tasks
from benchmarks.case import Case, Quantity
from benchmarks.workload import Workload

_MLR = Workload(clients=10, examples=600, epochs=20, batch_size=10)


def _case(
    words: str,
    build: Callable[..., tff.learning.templates.LearningProcess],
    *,
    most: float = 1.15,
    workload: Workload = _MLR,
    tolerance: float | None = None,
    fixed: tuple[str, ...] = (),
    **settings: Any,
) -> Case:
    return Case(
        f"{words} beside our FedAvg, logistic regression",
        workload,
        tasks.logistic_regression,
        contenders.algorithm(build, **settings),
        contenders.fed_avg,
        Quantity.TIMES_AS_LONG,
        most,
        tolerance=tolerance,
        fixed=fixed,
    )


_FED_VECA = _case(
    "FedVeca",
    tff_weights.build_fed_veca,
    most=1.5,
    # As many as its server sets at most. From the third round on the server would change them: the
    # second round is repeated instead.
    workload=Workload(clients=10, examples=600, epochs=None, batch_size=10, steps=50),
    fixed=("epochs", "steps"),
    shuffle=True,
    most_rounds=1,
)

CASES = {
    "fed_avg_uniform": _case(
        "FedAvg with uniform weights",
        tff_weights.build_fed_avg,
        weighting="uniform",
        tolerance=1e-4,
    ),
    "fed_prox": _case("FedProx", tff_weights.build_fed_prox, proximal_strength=1.0),
    "q_fed_avg": _case("q-FedAvg", tff_weights.build_q_fed_avg, most=1.5),
    "fed_fa": _case("FedFa", tff_weights.build_fed_fa),
    "fed_fa_mo": _case("FedFa-mo", tff_weights.build_fed_fa_mo),
    "fed_adp": _case("FedAdp", tff_weights.build_fed_adp),
    **{
        f"wei_avg_{by}": _case(f"WeiAvg by {by}", tff_weights.build_wei_avg, by=by)
        for by in ("projection", "entropy")
    },
    "fed_cav": _case("FedCav", tff_weights.build_fed_cav),
    "fed_nova": _case("FedNova", tff_weights.build_fed_nova, tolerance=1e-4),
    "fed_veca": _FED_VECA,
    "fed_veca_same_batches": dataclasses.replace(
        _FED_VECA,
        title="FedVeca beside our FedAvg that draws the same mini-batches, logistic regression",
        reference=contenders.algorithm(tff_weights.build_fed_avg, shuffle=True, fresh_batches=True),
    ),
    **{
        name: _case(words, getattr(tff_weights, f"build_{name}"), most=most)
        for name, words, most in (
            # They weigh by a loss, which takes a pass over the data besides.
            ("term", "TERM", 1.5),
            ("fed_eba", "FedEBA+", 1.5),
            ("afl", "AFL", 1.5),
            ("aagg_ff_s", "AAggFF-S", 1.5),
            ("aagg_ff_d", "AAggFF-D", 1.5),
            ("fed_fv", "FedFV", 1.5),
            ("fed_disco", "FedDisco", 1.3),
            ("fed_mgda", "FedMGDA+", 1.3),
            ("prop_fair", "PropFair", 1.3),
        )
    },
    "scaffold": _case("SCAFFOLD", tff_weights.build_scaffold, tolerance=1e-4),
    "power_of_choice": _case("Power-of-Choice", tff_weights.build_power_of_choice, tolerance=1e-4),
    "drfa": _case("DRFA", tff_weights.build_drfa, most=1.5, clients_per_round=10),
    "ditto": _case("Ditto", tff_weights.build_ditto, most=2.3, tolerance=1e-4),
    "trained_alone": _case("Clients trained alone", tff_weights.build_trained_alone),
    "scaffold_cnn": Case(
        "SCAFFOLD beside our FedAvg, FedAdp's CNN with 1,663,370 parameters",
        Workload(clients=10, examples=600, epochs=1, batch_size=32, population=1_000),
        tasks.convolutional_network,
        contenders.algorithm(tff_weights.build_scaffold),
        contenders.fed_avg,
        Quantity.TIMES_AS_LONG,
        1.15,
        tolerance=1e-2,
        checked_steps=5,
    ),
    "centralized_sgd": _case(
        "Centralized SGD",
        tff_weights.build_centralized_sgd,
        workload=Workload(clients=1, examples=6000, epochs=20, batch_size=10),
        tolerance=1e-4,
    ),
}
