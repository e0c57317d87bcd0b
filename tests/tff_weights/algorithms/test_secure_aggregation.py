"""With secure sums inside, nothing as large as the model leaves a client in the clear.

Read off each process' `next` before it runs.
"""

import dataclasses
import functools
import math

import numpy as np
import pytest
import tensorflow_federated as tff
from reference import algorithms
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds, simulate_rounds
from reference.problem import NUM_WEIGHTS, functional_model

import tff_weights as tw
from tff_weights import LocalTraining
from tff_weights.runtime import ProgramOptions, using

_PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0, epochs=1)
_SECURE = ("federated_secure_modular_sum", "federated_secure_sum", "federated_secure_sum_bitwidth")
_IN_THE_CLEAR = (
    "federated_aggregate",
    "federated_max",
    "federated_mean",
    "federated_min",
    "federated_sum",
    "federated_weighted_mean",
)
_ALL = {"num_clients": len(CLIENTS)}
_STEPS = LocalTraining(learning_rate=0.1, batch_size=10, steps=2)
# How often a client sends something as large as the model.
_ALGORITHMS = {
    "fed_avg": (tw.build_fed_avg, {}, 1),
    "fed_adp": (tw.build_fed_adp, _ALL, 2),
    "scaffold": (tw.build_scaffold, _ALL, 2),
    "drfa": (tw.build_drfa, {**_ALL, "clients_per_round": 3}, 2),
    "fed_veca": (tw.build_fed_veca, {**_ALL, "local_training": _STEPS}, 2),
}


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Builds each process once, with secure sums or plain ones."""

    @functools.cache
    def build(name, is_secure=True):
        builder, arguments, _ = _ALGORITHMS[name]
        inner_factory = tff.aggregators.SecureSumFactory(1e4, -1e4) if is_secure else None
        arguments = {"local_training": _PLAIN, "inner_factory": inner_factory, **arguments}
        if name == "scaffold":
            arguments["variates_dir"] = tmp_path_factory.mktemp("variates")
        return builder(functional_model(), **arguments)

    return build


def _num_numbers(value_type):
    """Numbers in one client's value; a dimension that is open counts as one."""
    if isinstance(value_type, tff.TensorType):
        return math.prod(size or 1 for size in value_type.shape or ())
    return sum(_num_numbers(child) for child in value_type.children())


def _uploaded_type(aggregation):
    """An aggregation's argument is the clients' value, or begins with it."""
    argument = aggregation.argument.type_signature
    return (argument[0] if isinstance(argument, tff.StructType) else argument).member


def _aggregated(process):
    """How many numbers each aggregation takes from a client: the secure ones, and the others."""
    secure, in_the_clear = [], []

    def note(block):
        if isinstance(block, tff.framework.Call) and isinstance(
            block.function, tff.framework.Intrinsic
        ):
            if block.function.uri in _SECURE:
                secure.append(_num_numbers(_uploaded_type(block)))
            elif block.function.uri in _IN_THE_CLEAR:
                in_the_clear.append(_num_numbers(_uploaded_type(block)))
        return block, False

    tff.framework.transform_postorder(process.next.to_building_block(), note)
    return secure, in_the_clear


@pytest.mark.parametrize("name", _ALGORITHMS)
def test_whatever_is_as_large_as_the_model_is_summed_securely(name, build):
    """Tables of scalars and sums of weights are not, and are all that is not."""
    _, _, uploads = _ALGORITHMS[name]
    process = build(name)
    secure, in_the_clear = _aggregated(process)
    # The model's two tensors may be summed one by one.
    assert sum(n for n in secure if n > 1) == uploads * NUM_WEIGHTS
    assert max(in_the_clear) < 12
    tff.test.assert_contains_secure_aggregation(process.next)


def test_with_plain_sums_it_is_in_the_clear(build):
    """So that the test above can fail."""
    secure, in_the_clear = _aggregated(build("scaffold", is_secure=False))
    assert secure == []
    assert sum(n for n in in_the_clear if n >= NUM_WEIGHTS) == 2 * NUM_WEIGHTS


def test_rounds_with_secure_sums_are_those_of_numpy(build):
    """As near as whole numbers for ±10⁴ are."""
    cohorts = [[0, 1, 2], [2, 5]]
    expected = simulate_rounds(functools.partial(algorithms.scaffold, **_ALL), _PLAIN, cohorts)
    with using(ProgramOptions(simulate_secure_aggregation=True)):
        trajectory, _, _ = run_rounds(build("scaffold"), cohorts)
    np.testing.assert_allclose(trajectory, expected, atol=1e-3)
