"""Every weighting runs with every solver, every server update and every inner factory of TFF's.

The default suite runs every pair of the other parts, each with another weighting; the whole product
is `-m long`.
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

import tff_weights as tw
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
    return tw.fed_nova_weighting(
        momentum=local_training.momentum, proximal_strength=local_training.proximal_strength
    )


# From the local training, on which FedNova's norms depend.
_WEIGHTINGS = {
    "num_examples": lambda _: tw.num_examples_weighting(),
    "uniform": lambda _: tw.uniform_weighting(),
    "q_fair": lambda _: tw.q_fair_weighting(),
    "fed_fa": lambda _: tw.fed_fa_weighting(num_clients=_NUM_CLIENTS),
    "fed_adp": lambda _: tw.fed_adp_weighting(num_clients=_NUM_CLIENTS),
    "fed_adp unsmoothed": lambda _: tw.fed_adp_weighting(smoothing="none"),
    "wei_avg by entropy": lambda _: tw.wei_avg_weighting(by="entropy"),
    "wei_avg by projection": lambda _: tw.wei_avg_weighting(by="projection"),
    "fed_cav": lambda _: tw.fed_cav_weighting(),
    "fed_cav audited": lambda _: tw.fed_cav_weighting(audit=True),
    "fed_nova": _fed_nova,
    "fed_nova accepted": lambda local_training: tw.accept_if_loss_falls(_fed_nova(local_training)),
}
_SERVER_UPDATES = {
    "apply": tw.apply_update,
    "momentum": functools.partial(tw.build_server_momentum_finalizer, momentum=0.5),
    "momentum every third round": functools.partial(
        tw.build_server_momentum_finalizer, momentum=0.5, every_rounds=3
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
_CHOSEN_WEIGHTINGS = [
    name for name in _WEIGHTINGS if name not in ("uniform", "fed_cav", "fed_nova")
]
_CHOSEN_INNER = ("noise", "secure", "all but noise and secure")


def _choice():
    """A Latin square of the parts, and a weighting for each of its cells.

    Clipping, zeroing and compression are one in another. Plain sums are left out: five rounds of
    every weighting with them are compared with NumPy.
    """
    cells = itertools.product(enumerate(_SOLVERS), enumerate(_SERVER_UPDATES))
    for weighting, ((i, solver), (j, server_update)) in zip(_CHOSEN_WEIGHTINGS, cells):
        yield weighting, solver, server_update, _CHOSEN_INNER[(i + j) % 3]


def _ids(combination):
    return ", ".join(combination)


@pytest.fixture(scope="module")
def _secure_sums() -> Iterator[None]:
    """For the tests that follow: secure sums are refused otherwise."""
    with using(ProgramOptions(simulate_secure_aggregation=True)):
        yield


def _check(weighting, solver, server_update, inner):
    local_training = _SOLVERS[solver]
    process = tw.compose_algorithm(
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


def test_every_pair_of_parts_is_in_the_choice():
    chosen = list(_choice())
    for first, second in itertools.combinations(range(1, 4), 2):
        assert len({(combination[first], combination[second]) for combination in chosen}) == 9


@pytest.mark.parametrize("combination", [c for c in _choice() if c[3] != "secure"], ids=_ids)
def test_a_choice(combination):
    _check(*combination)


@pytest.mark.usefixtures("_secure_sums")
@pytest.mark.parametrize("combination", [c for c in _choice() if c[3] == "secure"], ids=_ids)
def test_a_choice_with_secure_sums(combination):
    _check(*combination)


@pytest.mark.long
@pytest.mark.usefixtures("_secure_sums")
@pytest.mark.parametrize("combination", _PRODUCT, ids=_ids)
def test_the_product(combination):
    _check(*combination)
