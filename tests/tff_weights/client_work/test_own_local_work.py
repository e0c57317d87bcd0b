"""Tests of `tff_weights.client_work.local_work`: an algorithm of one's own, with all its hooks."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
from reference.federation import CLIENTS, LOCAL_TRAINING, cohort_data
from reference.problem import Examples, client_data, functional_model, to_vector

import tff_weights as tw
from tff_weights.structures import zeros_like


class _Counted(NamedTuple):
    turns: Any
    seen: Any


@dataclasses.dataclass(frozen=True)
class _Counting(tw.LocalWork):
    """Each client keeps how often it took part, in every number of a model, and adds it up."""

    def initial_state(self, local_training, specs):
        return _Counted(zeros_like(specs), tf.constant(0.0))

    def to_clients(self, state):
        return state.seen

    def num_steps(self, received, client_index):
        return tf.where(received > 0, 3, tf.cast(client_index, tf.int32))

    def train(self, model, local_training, client):
        turns = tf.nest.map_structure(lambda x: x + 1, client.kept)
        row = collections.OrderedDict(seen=tf.constant(1.0), steps=client.plan.num_steps)
        trained = super().train(model, local_training, client)
        return trained._replace(kept=turns, added=turns, row=row)

    def next_state(self, local_training, state, *, round_number, reports, total):
        turns = tf.nest.map_structure(tf.add, state.turns, total)
        measurements = collections.OrderedDict(steps=reports["steps"], round_number=round_number)
        return _Counted(turns, state.seen + tf.reduce_sum(reports["seen"])), measurements


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_what_clients_keep_add_and_report(compile_with_xla, tmp_path):
    """Clients 1 and 2; then 1, a client 3 that is no number, and one that nobody knows.

    They add 1 + 1 and then 2; the server has seen 3. The first round takes as many steps as the
    client's index says, the second three.
    """
    process = tw.compose_algorithm(
        functional_model(),
        local_training=dataclasses.replace(LOCAL_TRAINING, compile_with_xla=compile_with_xla),
        weighting=tw.uniform_weighting(),
        work=_Counting(num_clients=4, store_dir=tmp_path),
    )
    first = process.next(process.initialize(), cohort_data([1, 2]))
    np.testing.assert_array_equal(first.metrics["client_work"]["steps"], [1, 2])
    broken = client_data(3, Examples(np.full_like(CLIENTS[3].x, np.nan), CLIENTS[3].y))
    second = process.next(first.state, [broken, *cohort_data([1, 5])])
    np.testing.assert_array_equal(second.metrics["client_work"]["steps"], [3])
    assert second.metrics["client_work"]["round_number"] == 1
    state = second.state.client_work.server
    assert (state.round_number, state.own.seen) == (2, 3)
    np.testing.assert_array_equal(to_vector(state.own.turns), 4)
    np.testing.assert_array_equal(state.last_round, [-1, 1, 0, -1])


class _Reasoning(tw.LocalWork):
    def train(self, model, local_training, client):
        trained = super().train(model, local_training, client)
        return trained._replace(row={"reason": tf.constant(-1, tf.int8)})


def test_a_row_with_a_name_that_is_taken_is_refused():
    with pytest.raises(ValueError, match="_Reasoning.* 'reason' is taken"):
        tw.build_client_work(
            functional_model(), LOCAL_TRAINING, report_fields=(), work=_Reasoning()
        )
