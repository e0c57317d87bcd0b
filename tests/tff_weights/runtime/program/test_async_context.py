"""Programs that await their computations."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference.federation import CLIENTS
from reference.problem import functional_model

from tff_weights import runtime

_context = tff.framework.get_context_stack().install


_AT_CLIENTS = tff.FederatedType(np.int32, tff.CLIENTS)
_EVERYWHERE = tff.FederatedType(np.int32, tff.CLIENTS, all_equal=True)


@tff.federated_computation(_AT_CLIENTS)
def _total(values):
    return tff.federated_sum(values)


def test_computations_are_awaited():
    async def compute():
        return await asyncio.gather(_total([1, 2]), _total([3]))

    with _context(runtime.async_context()):
        assert asyncio.run(compute()) == [3, 3]


def test_an_error_reaches_who_awaits_it():
    with _context(runtime.async_context()), pytest.raises(TypeError):
        asyncio.run(_total([1.5]))


class _Prefetched(tff.framework.Ingestable, tff.framework.CardinalityCarrying):
    """What TFF's `PrefetchingDataSourceIterator`, which its package leaves out, makes of a list."""

    def __init__(self, data, type_spec, number):
        context = tff.framework.get_context_stack().current
        executor = context.executor_factory.create_executor({tff.CLIENTS: number})
        self._value = asyncio.run(executor.create_value(data, type_spec))
        self._executor, self._number = executor, number

    @property
    def type_signature(self):
        return self._value.type_signature

    @property
    def cardinality(self):
        return {tff.CLIENTS: self._number}

    async def ingest(self, executor):
        assert executor is self._executor  # Otherwise it would fetch them again.
        return self._value


@tff.federated_computation(_EVERYWHERE)
def _total_everywhere(value):
    return tff.federated_sum(value)


@tff.federated_computation(_AT_CLIENTS, tff.FederatedType(np.int32, tff.SERVER))
def _total_and(values, number):
    return tff.federated_sum(values), number


@tff.federated_computation(_AT_CLIENTS)
def _itself(values):
    return values


def test_data_that_tff_prefetches_are_arguments():
    """3 + 4 = 7; each of three clients has 5, so 15; a list of two is not of three clients."""
    with _context(runtime.async_context()):
        fetched = _Prefetched([3, 4], _AT_CLIENTS, 2)
        assert asyncio.run(_total(fetched)) == 7
        assert asyncio.run(_total_and(fetched, 9)) == (7, 9)
        assert asyncio.run(_total_everywhere(_Prefetched(5, _EVERYWHERE, 3))) == 15
        with pytest.raises(ValueError, match=r"\[2, 3\] clients"):
            asyncio.run(_total(_Prefetched([3, 4], _AT_CLIENTS, 3)))
        with pytest.raises(TypeError, match="must not be of type {float32}@CLIENTS"):
            asyncio.run(_total(_Prefetched([3.0], tff.FederatedType(np.float32, tff.CLIENTS), 1)))


def test_an_argument_that_computes_itself_is_refused():
    """Without a computation it brings its value: 1 + 2 = 3."""
    computed = tff.framework.DataDescriptor(_itself, [1, 2], _AT_CLIENTS, 2)
    assert _total(tff.framework.DataDescriptor(None, [1, 2], _AT_CLIENTS, 2)) == 3
    with pytest.raises(runtime.UnsupportedComputationError, match="computes itself"):
        _total(computed)


class _Iterator(tff.program.DatasetDataSourceIterator):
    """One that TFF's programs can copy: TensorFlow's data sets cannot be copied."""

    def __deepcopy__(self, _):
        return self


class _Source(tff.program.DatasetDataSource):
    def iterator(self):
        return _Iterator(self._datasets, self.federated_type)


def test_tffs_program_trains_as_rounds_do(tmp_path):
    """Two rounds with all clients, which TFF's data source draws in another order."""
    cohort = [
        tf.data.Dataset.from_tensor_slices(OrderedDict(x=examples.x, y=examples.y)).batch(3)
        for examples in CLIENTS[:3]
    ]

    def build():
        return tff.learning.algorithms.build_weighted_fed_avg(
            functional_model(), client_optimizer_fn=tff.learning.optimizers.build_sgdm(0.1)
        )

    process = build()
    state = process.initialize()
    for _ in range(2):
        state = process.next(state, cohort).state
    models = tff.program.MemoryReleaseManager()
    with _context(tff.program.NativeFederatedContext(runtime.async_context())):
        asyncio.run(
            tff.learning.programs.train_model(
                train_process=build(),
                train_data_source=_Source(cohort),
                train_per_round_clients=len(cohort),
                train_total_rounds=2,
                program_state_manager=tff.program.FileProgramStateManager(str(tmp_path)),
                model_output_manager=models,
                evaluation_manager=None,
                evaluation_periodicity=1,
            )
        )
    (trained,) = models.values().values()
    for ours, expected in zip(tf.nest.flatten(trained), tf.nest.flatten(state)):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)
