"""Makes a learning process take back rounds that raise the averaged model's loss."""

from __future__ import annotations

import collections
import math
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.any_model import local_model
from tff_weights.client_work.client_work import compiled_loss
from tff_weights.client_work.local_data import client_data_type, read_local_data
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import LocalWork
from tff_weights.client_work.process import PLAIN
from tff_weights.structures import chosen

# What TFF's learning processes publish.
_PARTS = ("distributor", "client_work", "aggregator", "finalizer")


def accept_if_averaged_loss_falls(
    process: tff.learning.templates.LearningProcess,
    model: Model,
    local_training: LocalTraining,
    *,
    work: LocalWork = PLAIN,
) -> tff.learning.templates.LearningProcess:
    """Adds FedVeca's acceptance test by the loss of the averaged model (Algorithm 1, lines 5–12).

    After each round all clients of the cohort whose index is known measure the new model on their
    training examples: `F = Σ p_i F_i(w_{k+1})`. If `F` is at most the smallest accepted so far,
    `F_m`, and finite, the model stays and `F_m ← F`; otherwise `w_{k+1} ← w_k`.

    The paper names the accepted loss "the value of the loss function of w_{k+1}", but its eq. 4
    takes the clients' own models, as `weightings.acceptance.accept_if_loss_falls` does. Decision of
    this reading: the loss is measured in the same round. The clients receive the new model for it,
    and send one more number. So a rejected round costs one round, as in Algorithm 1, and a rejected
    model is never evaluated or kept. The process's other state goes on.

    The measurements `estimated_loss` (`F`, float32) and `accepted` (int32, 0 or 1) stand beside
    the finalizer's own, `inner`.

    Args:
        process: A process whose clients' data are `client_data_type(model)`.
        model: Its model.
        local_training: The clients' local training, which says whether passes are compiled.
        work: The clients' work, which says whose index is known.
    """
    wrapped_model = local_model(model)
    data_type = client_data_type(wrapped_model)
    weights_type = wrapped_model.initial_weights_computation.type_signature.result

    @tff.tensorflow.computation(weights_type, data_type)
    def measure(weights: Any, data: Any) -> Any:
        bound = wrapped_model.bind()
        local_data = read_local_data(data, padded=local_training.compile_with_xla)

        @tf.function(autograph=False)
        def run(weights: Any, local_data: Any) -> Any:
            # Layers that draw random numbers need their stream.
            bound.random_numbers.restart(
                local_training.shuffle_seed, tf.constant(0), local_data.client_index
            )
            evaluate = compiled_loss(local_training, bound)
            loss = tf.cast(evaluate(weights=weights, data=local_data)["loss"], tf.float32)
            # A client that is unknown, or has no loss, has no share. An infinite one counts.
            counts = work.knows(local_data.client_index) & ~tf.math.is_nan(loss)
            share = tf.where(counts, tf.cast(local_data.num_examples, tf.float32), 0.0)
            return collections.OrderedDict(
                loss=tf.math.multiply_no_nan(loss, share), num_examples=share
            )

        return run(weights, local_data)

    inner_type = process.initialize.type_signature.result.member

    @tff.tensorflow.computation(inner_type)
    def with_smallest_loss(state: Any) -> Any:
        return _with_finalizer(state, state.finalizer, tf.constant(math.inf))

    state_type = with_smallest_loss.type_signature.result

    @tff.tensorflow.computation(state_type)
    def without_smallest_loss(state: Any) -> Any:
        return state._replace(finalizer=state.finalizer["inner"])

    sums_type = measure.type_signature.result

    @tff.tensorflow.computation(state_type, inner_type, sums_type)
    def judge(before: Any, after: Any, sums: Any) -> Any:
        smallest = before.finalizer["smallest_loss"]
        # Without clients there is no loss; a loss of 0 would be accepted.
        loss = tf.where(
            sums["num_examples"] > 0,
            tf.math.divide_no_nan(sums["loss"], sums["num_examples"]),
            math.nan,
        )
        is_accepted = (loss <= smallest) & (loss < math.inf)

        weights = after.global_model_weights, before.global_model_weights
        return collections.OrderedDict(
            state=_with_finalizer(
                after._replace(global_model_weights=chosen(is_accepted, *weights)),
                chosen(is_accepted, after.finalizer, before.finalizer["inner"]),
                tf.where(is_accepted, loss, smallest),
            ),
            measurements=collections.OrderedDict(
                estimated_loss=loss, accepted=tf.cast(is_accepted, tf.int32)
            ),
        )

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_map(with_smallest_loss, process.initialize())

    @tff.federated_computation(
        initialize.type_signature.result, tff.FederatedType(data_type, tff.CLIENTS)
    )
    def next_fn(state: tff.Value, clients: tff.Value) -> tff.Value:
        output = process.next(tff.federated_map(without_smallest_loss, state), clients)
        new_weights = tff.federated_broadcast(output.state.global_model_weights)
        sums = tff.federated_sum(tff.federated_map(measure, (new_weights, clients)))
        judged = tff.federated_map(judge, (state, output.state, sums))
        metrics = collections.OrderedDict((name, output.metrics[name]) for name in _PARTS)
        metrics["finalizer"] = tff.federated_zip(
            collections.OrderedDict(inner=output.metrics["finalizer"], judge=judged["measurements"])
        )
        return tff.learning.templates.LearningProcessOutput(
            judged["state"], tff.federated_zip(metrics)
        )

    @tff.tensorflow.computation(state_type)
    def get_model_weights(state: Any) -> Any:
        return state.global_model_weights

    @tff.tensorflow.computation(state_type, weights_type)
    def set_model_weights(state: Any, weights: Any) -> Any:
        return state._replace(global_model_weights=weights)

    return tff.learning.templates.LearningProcess(
        initialize, next_fn, get_model_weights, set_model_weights
    )


def _with_finalizer(state: Any, inner: Any, smallest_loss: tf.Tensor) -> Any:
    finalizer = collections.OrderedDict(inner=inner, smallest_loss=smallest_loss)
    return state._replace(finalizer=finalizer)
