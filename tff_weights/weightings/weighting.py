"""The weighting: from the cohort's reports and the server's history to the updates' weights."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import tensorflow as tf

History = Any
Reports = Mapping[str, tf.Tensor]


class Weighed(NamedTuple):
    """What a weighting returns for one cohort.

    Attributes:
        weights: `[n]` float32, the final factor of every update: they are added up as they are.
        history: The history after this round, typed like the one received.
        measurements: Structure of tensors to publish with the round's metrics.
    """

    weights: tf.Tensor
    history: History
    measurements: Any = collections.OrderedDict()


@dataclasses.dataclass(frozen=True)
class Weighting:
    """How a server weighs its clients: data and a pure function, nothing of TFF.

    Attributes:
        name: The name users see.
        report_fields: The scalars that each client must report, see `client_work.reports`. A
            weighting with no other field than `num_examples` works wherever TFF takes a
            `WeightedAggregationFactory`.
        weigh: `(history, reports) → Weighed`, called once a round. `reports` maps each of
            `report_fields` and `update_fields` to a tensor `[n]`, entry `i` of all of them from
            the same participant, one of those whose update and report are finite. Of what it
            returns for `n = 0` only the types are used.
        initial_history: Returns the server's history before the first round, a structure of
            tensors: scalars per client, never whole updates.
        num_clients: The number of clients that the history knows; a report with a client index
            outside `0..num_clients−1` is left out. `None` where there is no such history.
        update_fields: Scalars that the aggregator itself measures on each update, see
            `aggregators.update_geometry`.
    """

    name: str
    report_fields: tuple[str, ...]
    weigh: Callable[[History, Reports], Weighed]
    initial_history: Callable[[], History] = collections.OrderedDict
    num_clients: int | None = None
    update_fields: tuple[str, ...] = ()


def normalized(values: tf.Tensor) -> tf.Tensor:
    """Returns `values / Σ values`, or equal shares where the sum is 0.

    Args:
        values: `[n]` float32, not negative.
    """
    total = tf.reduce_sum(values)
    return tf.where(total > 0, tf.math.divide_no_nan(values, total), equal_shares(values))


def equal_shares(values: tf.Tensor) -> tf.Tensor:
    """Returns `1/n` for each of the `[n]` values, float32."""
    return tf.ones_like(values) / tf.cast(tf.size(values), tf.float32)
