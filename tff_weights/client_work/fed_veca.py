"""FedVeca's client work: the server sets every client's steps from its gradients' geometry."""

from __future__ import annotations

import collections
import math
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.checks import check_integer, check_number, check_one_of
from tff_weights.client_work.client_work import (
    begin_round,
    checked_local_model,
    client_result,
    compiled,
)
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_data import client_data_type, read_local_data
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining, check_plain_sgd
from tff_weights.client_work.reports import AskedField, plan_report
from tff_weights.client_work.step_geometry import train_and_measure
from tff_weights.cohort import cohort_table
from tff_weights.cohort.inner_sum import inner_sum
from tff_weights.cohort.update_geometry import squared_norm
from tff_weights.distributors.movement import distributed_type
from tff_weights.weightings.weighting import normalized

FEWEST_STEPS = 2
BETA_GRADIENTS = ("full", "mini_batch")
_ROUNDING = 1e-3


def build_fed_veca_client_work(
    model: Model,
    local_training: LocalTraining,
    *,
    num_clients: int,
    alpha: float = 0.95,
    most_steps: int = 50,
    beta_gradient: str = "full",
    report_fields: tuple[AskedField, ...],
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    correct_fn: CorrectFn | None = None,
) -> tff.learning.templates.ClientWorkProcess:
    """Builds FedVeca's client work (Luo et al., IEEE TPDS 2024, Algorithms 1 and 2).

    In round `k` client `i` takes `τ_i` steps of SGD on fresh mini-batches from `w_k`; `g_λ` is the
    gradient of step `λ` at `w^λ`. From round 1 on it also reports

    * `β_i = max_{λ=1..τ−1} ‖∇F_i(w_k) − g_λ‖ / ‖w_k − w^λ‖`,
    * `δ_i = max_{λ=1..τ−1} ‖Σ_{s=0..λ} g_s‖² / ((λ + 1) ‖∇F(w_{k−1})‖²)`,
    * `A_i = η β_i² δ_i`,

    and the server sets `τ_i ← ⌊A_i / (A_i − α min_j A_j)⌋`, at least 2 and at most `most_steps`
    (eq. 16). Decisions where the paper is silent: the first two rounds take
    `local_training.steps`; a client whose `A_i` is 0 or not finite, or that does not take part,
    keeps its `τ_i`. In `β_i`, Algorithm 2 prints the same `∇F_i` at both models, and section IV-D1
    says that all gradients are of mini-batches: `beta_gradient` says what is compared.

    The measurements are `client_index`, `num_steps`, `beta`, `delta` and `a` of the participants
    (`[n]` each), `smoothness` `L` (the largest `‖∇F(w_{k−1}) − ∇F(w_{k−2})‖ / ‖w_{k−1} − w_{k−2}‖`
    so far, at first `‖∇F(w_0)‖ / ‖w_0‖`) and `eta_tau_smoothness` `η τ_k L`, which should be at
    least 1 (figure 6). What is not known in round 0 is 0.

    The process takes what `build_movement_distributor` sends.

    Args:
        model: See `build_client_work`.
        local_training: The solver's parameters, with `fresh_batches` and `steps`, the first
            `τ_i`; momentum and proximal term must be 0 and the rate must not decay, as the paper's
            analysis has it.
        num_clients: The number of clients in all.
        alpha: `α_k` in [0, 1).
        most_steps: The largest `τ_i`, at least 2.
        beta_gradient: What `β_i` compares `g_λ` with. `"full"`, the gradient at `w_k` of all the
            client's examples, so that the noise of mini-batches counts. Or `"mini_batch"`, that at
            `w_k` of the mini-batch of step `λ` itself, so that both gradients are of the same
            examples; this takes one gradient more a step.
        report_fields: See `build_client_work`.
        inner_factory: Adds up the gradients' shares `p_i ∇F_i`; by default a plain sum.
        correct_fn: See `build_client_work`.

    Raises:
        TypeError: If `inner_factory` is not an unweighted aggregation factory.
        ValueError: If an argument is outside its documented range.
    """
    _check(local_training, num_clients=num_clients, alpha=alpha, most_steps=most_steps)
    check_one_of("beta_gradient", beta_gradient, BETA_GRADIENTS)
    model = checked_local_model(model, local_training)
    report = plan_report(model, report_fields, correct_fn)
    learning_rate = local_training.learning_rate
    weights_type = model.initial_weights_computation().type_signature.result
    trainable_type = weights_type.trainable
    data_type = client_data_type(model)
    sum_of_gradients = inner_sum(inner_factory).create(trainable_type)

    @tff.tensorflow.computation
    def initial_state() -> Any:
        specs = tff.types.type_to_tf_tensor_specs(trainable_type)
        return collections.OrderedDict(
            round_number=np.int32(0),
            num_steps=tf.fill([num_clients], local_training.steps),
            gradient=tf.nest.map_structure(lambda spec: tf.zeros(spec.shape, spec.dtype), specs),
            smoothness=tf.constant(0.0),
        )

    state_type = initial_state.type_signature.result

    @tff.tensorflow.computation(state_type)
    def to_clients(state: Any) -> Any:
        return collections.OrderedDict(
            round_number=state["round_number"],
            num_steps=state["num_steps"],
            squared_gradient_norm=squared_norm(state["gradient"]),
        )

    received_type = to_clients.type_signature.result
    model_type = distributed_type(weights_type)

    @tff.tensorflow.computation(received_type, model_type, data_type)
    def work(received: Any, distributed: Any, data: Any) -> Any:
        bound = model.bind()

        @tf.function(autograph=False)
        def run(received: Any, distributed: Any, data: Any) -> Any:
            weights = distributed["weights"]
            local_data = read_local_data(data, model, padded=local_training.compile_with_xla)
            index = local_data.client_index
            is_known = (index >= 0) & (index < num_clients)
            plan = begin_round(
                bound,
                local_training,
                local_data,
                received["round_number"],
                num_steps=tf.gather(received["num_steps"], tf.where(is_known, index, 0)),
            )
            trainable, gradient, beta, delta = compiled(
                local_training,
                train_and_measure,
                bound,
                local_training,
                same_batch=beta_gradient == "mini_batch",
            )(
                weights=weights,
                data=local_data,
                plan=plan,
                squared_gradient_norm=received["squared_gradient_norm"],
            )
            result = client_result(
                bound,
                local_training,
                data=local_data,
                plan=plan,
                weights=weights,
                trainable=trainable,
                report=report,
            )
            fields = collections.OrderedDict(
                client_index=index,
                num_examples=tf.cast(local_data.num_examples, tf.float32),
                num_steps=plan.num_steps,
                beta=beta,
                delta=delta,
                movement=distributed["movement"],
            )
            reason = cohort_table.reason_to_leave_out(
                unknown_client=~is_known,
                update_not_finite=~cohort_table.is_all_finite([result.update, gradient]),
            )
            takes_part = cohort_table.takes_part(reason)
            return collections.OrderedDict(
                result=result,
                gradient=tf.nest.map_structure(
                    lambda x: tf.where(takes_part, x, tf.zeros_like(x)), gradient
                ),
                entry=cohort_table.new_entry(fields, reason),
            )

        return run(received, distributed, data)

    entry_type = work.type_signature.result["entry"]
    table_type = cohort_table.table_type(entry_type)

    @tff.tensorflow.computation(table_type)
    def address_shares(table: Any) -> Any:
        reports = cohort_table.reports_of_participants(table)
        return cohort_table.address_weights(table, normalized(reports["num_examples"]))

    @tff.tensorflow.computation(state_type, trainable_type, table_type)
    def next_state(state: Any, gradient: Any, table: Any) -> Any:
        reports = cohort_table.reports_of_participants(table)
        # The first round has no earlier gradient to compare with.
        is_measured = state["round_number"] > 0
        delta = tf.where(is_measured, reports["delta"], 0.0)
        a = learning_rate * reports["beta"] ** 2 * delta
        is_empty = tf.equal(tf.size(reports["client_index"]), 0)
        gradient = tf.nest.map_structure(
            lambda old, new: tf.where(is_empty, old, new), state["gradient"], gradient
        )
        change = tf.nest.map_structure(tf.subtract, gradient, state["gradient"])
        mean_steps = tf.reduce_sum(
            normalized(reports["num_examples"]) * tf.cast(reports["num_steps"], tf.float32)
        )
        return collections.OrderedDict(
            state=collections.OrderedDict(
                round_number=state["round_number"] + 1,
                num_steps=_next_steps(
                    state["num_steps"],
                    reports["client_index"],
                    a,
                    alpha=alpha,
                    most_steps=most_steps,
                ),
                gradient=gradient,
                # All clients received the same movement; the sum is 0 if there are none.
                smoothness=tf.maximum(
                    state["smoothness"],
                    tf.math.divide_no_nan(
                        tf.sqrt(squared_norm(change)), tf.reduce_sum(reports["movement"][:1])
                    ),
                ),
            ),
            measurements=collections.OrderedDict(
                client_index=reports["client_index"],
                num_steps=reports["num_steps"],
                beta=reports["beta"],
                delta=delta,
                a=a,
                smoothness=state["smoothness"],
                eta_tau_smoothness=learning_rate * mean_steps * state["smoothness"],
            ),
        )

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_zip(
            collections.OrderedDict(
                fed_veca=tff.federated_eval(initial_state, tff.SERVER),
                sum_of_gradients=sum_of_gradients.initialize(),
            )
        )

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(model_type, tff.CLIENTS),
        tff.FederatedType(data_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, distributed: tff.Value, clients: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        received = tff.federated_broadcast(tff.federated_map(to_clients, state["fed_veca"]))
        worked = tff.federated_map(work, (received, distributed, clients))
        table = cohort_table.gather_table(worked["entry"])
        shares = cohort_table.scale_by_own_weight(
            worked["gradient"], worked["entry"], tff.federated_map(address_shares, table)
        )
        gradient = sum_of_gradients.next(state["sum_of_gradients"], shares)
        updated = tff.federated_map(next_state, (state["fed_veca"], gradient.result, table))
        return tff.templates.MeasuredProcessOutput(
            tff.federated_zip(
                collections.OrderedDict(fed_veca=updated["state"], sum_of_gradients=gradient.state)
            ),
            worked["result"],
            updated["measurements"],
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)


def _next_steps(
    num_steps: tf.Tensor,
    client_index: tf.Tensor,
    a: tf.Tensor,
    *,
    alpha: float,
    most_steps: int,
) -> tf.Tensor:
    """Returns every client's next `τ_i` (eq. 16), `[num_clients]` int32."""
    usable = tf.math.is_finite(a) & (a > 0)
    least = tf.reduce_min(tf.where(usable, a, math.inf))
    # 1 / (1 − 0.95) is 20, but a hair less in floating point.
    wanted = tf.floor(a / (a - alpha * least) + _ROUNDING)
    limited = tf.clip_by_value(wanted, float(FEWEST_STEPS), float(most_steps))
    chosen = tf.where(usable, tf.cast(limited, tf.int32), tf.gather(num_steps, client_index))
    return tf.tensor_scatter_nd_update(num_steps, client_index[:, tf.newaxis], chosen)


def _check(
    local_training: LocalTraining, *, num_clients: int, alpha: float, most_steps: int
) -> None:
    if not local_training.fresh_batches:
        raise ValueError("local_training.fresh_batches must be True for FedVeca, got False")
    check_plain_sgd("FedVeca", local_training)
    if local_training.learning_rate_schedule is not None:
        raise ValueError(
            "FedVeca's learning rate is the same in all rounds: learning_rate_schedule must be "
            f"None, got {local_training.learning_rate_schedule!r}"
        )
    if local_training.learning_rate_decay != 1.0:
        raise ValueError(
            "FedVeca's learning rate is the same in all rounds: learning_rate_decay must be 1, got "
            f"{local_training.learning_rate_decay!r}"
        )
    check_integer("num_clients", num_clients, least=1)
    check_number("alpha", alpha, lambda x: 0 <= x < 1, "a number in [0, 1)")
    check_integer("most_steps", most_steps, least=FEWEST_STEPS)
