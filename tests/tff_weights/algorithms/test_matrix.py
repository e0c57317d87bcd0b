"""Every weighting runs with every solver, every server update and every inner factory of TFF's.

The default suite runs every weighting once, and every pair of the other parts; the whole product is
`-m long`.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator

import numpy as np
import pytest
import tensorflow_federated as tff
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds
from reference.problem import functional_model, initial_vector

from tff_weights import (
    accept_if_loss_falls,
    apply_update,
    build_server_momentum_finalizer,
    compose_algorithm,
    fed_adp_weighting,
    fed_cav_weighting,
    fed_fa_weighting,
    fed_nova_weighting,
    num_examples_weighting,
    q_fair_weighting,
    uniform_weighting,
    wei_avg_weighting,
)
from tff_weights.runtime import ProgramOptions, using

_NUM_CLIENTS = len(CLIENTS)
_COHORTS = ([0, 1, 2], [2, 5])

_PLAIN = dataclasses.replace(LOCAL_TRAINING, epochs=1, momentum=0.0)
_SOLVERS = {
    "sgd": _PLAIN,
    "momentum": dataclasses.replace(_PLAIN, momentum=0.5),
    "proximal": dataclasses.replace(_PLAIN, proximal_strength=0.1),
}


def _fed_nova(local_training):
    return fed_nova_weighting(
        momentum=local_training.momentum, proximal_strength=local_training.proximal_strength
    )


# From the local training, on which FedNova's norms depend.
_WEIGHTINGS = {
    "num_examples": lambda _: num_examples_weighting(),
    "uniform": lambda _: uniform_weighting(),
    "q_fair": lambda _: q_fair_weighting(),
    "fed_fa": lambda _: fed_fa_weighting(num_clients=_NUM_CLIENTS),
    "fed_adp": lambda _: fed_adp_weighting(num_clients=_NUM_CLIENTS),
    "fed_adp unsmoothed": lambda _: fed_adp_weighting(smoothing="none"),
    "wei_avg by entropy": lambda _: wei_avg_weighting(by="entropy"),
    "wei_avg by projection": lambda _: wei_avg_weighting(by="projection"),
    "fed_cav": lambda _: fed_cav_weighting(),
    "fed_cav audited": lambda _: fed_cav_weighting(audit=True),
    "fed_nova": _fed_nova,
    "fed_nova accepted": lambda local_training: accept_if_loss_falls(_fed_nova(local_training)),
}
_SERVER_UPDATES = {
    "apply": apply_update,
    "momentum": functools.partial(build_server_momentum_finalizer, momentum=0.5),
    "momentum every third round": functools.partial(
        build_server_momentum_finalizer, momentum=0.5, every_rounds=3
    ),
}
_SUM = tff.aggregators.SumFactory()
_INNER_FACTORIES = {
    "sum": lambda: _SUM,
    "clipping": lambda: tff.aggregators.clipping_factory(0.5, _SUM),
    "zeroing": lambda: tff.aggregators.zeroing_factory(1e3, _SUM),
    "noise": lambda: tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(
        noise_multiplier=0.01, clients_per_round=1.0, clip=1.0
    ),
    "compression": lambda: tff.aggregators.EncodedSumFactory.quantize_above_threshold(
        quantization_bits=8, threshold=1
    ),
    "secure": lambda: tff.aggregators.SecureSumFactory(1e3, -1e3),
    "all but noise and secure": lambda: tff.aggregators.clipping_factory(
        0.5, tff.aggregators.zeroing_factory(1e3, _INNER_FACTORIES["compression"]())
    ),
}
_PRODUCT = list(itertools.product(_WEIGHTINGS, _SOLVERS, _SERVER_UPDATES, _INNER_FACTORIES))
_CHOSEN_INNER = ("noise", "secure", "all but noise and secure")


def _choice():
    """Every weighting once, the other parts taking turns.

    Clipping, zeroing and compression are one in another. Plain sums are left out: five rounds of
    every weighting with them are compared with NumPy.
    """
    solvers, server_updates = list(_SOLVERS), list(_SERVER_UPDATES)
    for w, weighting in enumerate(_WEIGHTINGS):
        inner = _CHOSEN_INNER[(w + w // 3) % 3]
        yield weighting, solvers[w % 3], server_updates[w // 3 % 3], inner


def _ids(combination):
    return ", ".join(combination)


@pytest.fixture(scope="module")
def _secure_sums() -> Iterator[None]:
    """For the tests that follow: secure sums are refused otherwise."""
    with using(ProgramOptions(simulate_secure_aggregation=True)):
        yield


def _check(weighting, solver, server_update, inner):
    local_training = _SOLVERS[solver]
    process = compose_algorithm(
        functional_model(),
        local_training=local_training,
        weighting=_WEIGHTINGS[weighting](local_training),
        server_update=_SERVER_UPDATES[server_update],
        inner_factory=_INNER_FACTORIES[inner](),
    )
    trajectory, metrics, _ = run_rounds(process, _COHORTS)
    assert np.all(np.isfinite(trajectory))
    assert np.abs(trajectory[0] - initial_vector()).max() > 1e-3
    assert np.abs(trajectory[-1]).max() < 10
    for of_round, cohort in zip(metrics, _COHORTS):
        published = of_round["aggregator"]["cohort"]
        assert sorted(published["reports"]["client_index"]) == sorted(cohort)
        assert np.all(published["weights"] >= 0)
        assert published["num_left_out"] == 0


def test_every_weighting_and_every_pair_of_other_parts_is_in_the_choice():
    chosen = set(_choice())
    product = {combination for combination in _PRODUCT if combination[3] in _CHOSEN_INNER}
    assert chosen <= product
    assert {combination[0] for combination in chosen} == set(_WEIGHTINGS)
    for first, second in itertools.combinations(range(1, 4), 2):
        pairs = {(combination[first], combination[second]) for combination in chosen}
        assert pairs == {(combination[first], combination[second]) for combination in product}


@pytest.mark.parametrize("combination", [c for c in _choice() if c[3] != "secure"], ids=_ids)
def test_a_choice(combination):
    _check(*combination)


@pytest.mark.long
@pytest.mark.parametrize("combination", [c for c in _PRODUCT if c[3] != "secure"], ids=_ids)
def test_the_product(combination):
    _check(*combination)


@pytest.mark.usefixtures("_secure_sums")
@pytest.mark.parametrize("combination", [c for c in _choice() if c[3] == "secure"], ids=_ids)
def test_a_choice_with_secure_sums(combination):
    _check(*combination)


@pytest.mark.long
@pytest.mark.usefixtures("_secure_sums")
@pytest.mark.parametrize("combination", [c for c in _PRODUCT if c[3] == "secure"], ids=_ids)
def test_the_product_with_secure_sums(combination):
    _check(*combination)


@pytest.mark.parametrize(
    ("weighting", "message"),
    [
        (
            lambda: fed_nova_weighting(momentum=0.5, proximal_strength=0.1),
            "FedNova normalises either momentum or a proximal term, not both",
        ),
        (
            lambda: accept_if_loss_falls(fed_cav_weighting(audit=True)),
            "gives a verdict of its own already",
        ),
        (lambda: fed_adp_weighting(), "num_clients .*got None"),
        (
            lambda: compose_algorithm(
                functional_model(),
                local_training=_SOLVERS["momentum"],
                weighting=accept_if_loss_falls(fed_nova_weighting()),
            ),
            "built for clients with momentum=0.0, local_training has momentum=0.5",
        ),
    ],
    ids=[
        "fed_nova with both",
        "two verdicts",
        "fed_adp of unknown clients",
        "fed_nova for another solver",
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(weighting, message):
    with pytest.raises(ValueError, match=message):
        weighting()
