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


@tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
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
