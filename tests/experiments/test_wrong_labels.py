"""Labels that are no classes, through the public API: that client is left out and counted."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf

import tff_weights
from leaf_data.models.logistic_regression import logistic_regression
from tff_weights import LocalTraining, client_data

_NUM_CLIENTS = 4
_BUILDERS = {
    "fed_avg": tff_weights.build_fed_avg,
    "fed_prox": lambda *a, **k: tff_weights.build_fed_prox(*a, proximal_strength=0.1, **k),
    "q_fed_avg": tff_weights.build_q_fed_avg,
    "fed_nova": tff_weights.build_fed_nova,
    "fed_cav": lambda *a, **k: tff_weights.build_fed_cav(*a, audit=True, **k),
    "wei_avg": tff_weights.build_wei_avg,
    "fed_fa": lambda *a, **k: tff_weights.build_fed_fa(*a, num_clients=_NUM_CLIENTS, **k),
    "fed_adp": lambda *a, **k: tff_weights.build_fed_adp(*a, num_clients=_NUM_CLIENTS, **k),
}


def _client(index, label):
    """Three examples, of which the second has this label."""
    x = np.random.default_rng(index).normal(size=(3, 5)).astype(np.float32)
    y = np.array([0, label, 2], np.int32)
    return client_data(index, tf.data.Dataset.from_tensor_slices(collections.OrderedDict(x=x, y=y)))


@pytest.mark.parametrize(
    ("algorithm", "compiled"), [*((name, True) for name in _BUILDERS), ("fed_avg", False)]
)
def test_a_client_with_a_wrong_label_is_left_out(algorithm, compiled):
    model = logistic_regression(num_features=5, num_classes=3, seed=0)
    training = LocalTraining(learning_rate=0.1, batch_size=2, epochs=2, compile_with_xla=compiled)
    process = _BUILDERS[algorithm](model, local_training=training)
    cohort = [_client(0, 1), _client(1, 99), _client(2, -1), _client(3, 0)]
    state = process.initialize()
    for _ in range(2):
        output = process.next(state, cohort)
        state = output.state
        counts = output.metrics["aggregator"]["cohort"]
        assert (counts["num_participants"], counts["num_left_out"]) == (2, 2)
    weights = process.get_model_weights(state).trainable
    assert all(np.isfinite(tensor).all() for tensor in weights)
    expected = process.initialize()
    for _ in range(2):
        expected = process.next(expected, [cohort[0], cohort[3]]).state
    for found, other in zip(weights, process.get_model_weights(expected).trainable):
        np.testing.assert_allclose(found, other, rtol=1e-5, atol=1e-6)
