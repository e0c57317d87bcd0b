"""SCAFFOLD's client work: SGD corrected by control variates, which stay with their clients."""

from __future__ import annotations

import collections
import os
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.checks import check_integer
from tff_weights.client_work import training_loop
from tff_weights.client_work.client_work import (
    begin_round,
    checked_local_model,
    client_result,
    compiled,
)
from tff_weights.client_work.control_variates import (
    ControlVariates,
    as_structure,
    as_vector,
    vector_spec,
)
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_data import (
    LocalData,
    RoundPlan,
    client_data_type,
    read_local_data,
)
from tff_weights.client_work.local_model import BoundModel, Model, ModelWeights
from tff_weights.client_work.local_training import LocalTraining, check_plain_sgd
from tff_weights.client_work.reports import AskedField, plan_report
from tff_weights.cohort import cohort_table
from tff_weights.cohort.inner_sum import inner_sum
from tff_weights.float_types import computed_in


def build_scaffold_client_work(
    model: Model,
    local_training: LocalTraining,
    *,
    num_clients: int,
    variates_dir: str | os.PathLike[str],
    report_fields: tuple[AskedField, ...],
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    correct_fn: CorrectFn | None = None,
) -> tff.learning.templates.ClientWorkProcess:
    """Builds SCAFFOLD's client work, option II (Karimireddy et al., ICML 2020, Algorithm 1).

    A local step is `y ← y − η (g(y) − c_i + c)`; after `τ_i` steps
    `c_i⁺ = c_i − c + (w_t − y) / (τ_i η)`, and the server takes
    `c ← c + (1/N) Σ_{i∈S} (c_i⁺ − c_i)`. All variates start at zero and have the model's own float
    type: in half precision an `N`-th part may be too small to change `c`. The `c_i` are kept by
    `ControlVariates`; the state holds `c`, the round's number and, per client, the round in which
    it last wrote its variate, `[num_clients]` int32, −1 for never.

    A client whose variate is not finite, or whose index is unknown, changes neither `c` nor its
    own variate. A client that is twice in a cohort counts twice in `c`.

    Args:
        model: See `build_client_work`.
        local_training: The solver's parameters; momentum and proximal term must be 0, because
            `(w_t − y) / (τ_i η)` is the mean gradient for plain SGD only.
        num_clients: The number of clients in all, `N`.
        variates_dir: The directory of the clients' variates, which whatever computes for them
            can write.
        report_fields: See `build_client_work`.
        inner_factory: Adds up the `N`-th parts of the variates' changes; by default a plain sum.
        correct_fn: See `build_client_work`.

    Raises:
        TypeError: If `inner_factory` is not an unweighted aggregation factory.
        ValueError: If an argument is outside its documented range.
    """
    check_plain_sgd("SCAFFOLD", local_training)
    check_integer("num_clients", num_clients, least=1)
    model = checked_local_model(model, local_training)
    report = plan_report(model, report_fields, correct_fn)
    variates = ControlVariates(variates_dir)
    weights_type = model.initial_weights_computation().type_signature.result
    trainable_type = weights_type.trainable
    data_type = client_data_type(model)
    sum_of_changes = inner_sum(inner_factory).create(trainable_type)

    @tff.tensorflow.computation
    def initial_state() -> Any:
        specs = tff.types.type_to_tf_tensor_specs(trainable_type)
        return collections.OrderedDict(
            round_number=np.int32(0),
            server_variate=tf.nest.map_structure(
                lambda spec: tf.zeros(spec.shape, spec.dtype), specs
            ),
            last_round=tf.fill([num_clients], -1),
        )

    state_type = initial_state.type_signature.result

    @tff.tensorflow.computation(state_type, weights_type, data_type)
    def work(state: Any, weights: ModelWeights, data: Any) -> Any:
        bound = model.bind()

        @tf.function(autograph=False)
        def run(state: Any, weights: ModelWeights, data: Any) -> Any:
            local_data = read_local_data(data, model, padded=local_training.compile_with_xla)
            plan = begin_round(bound, local_training, local_data, state["round_number"])
            index = local_data.client_index
            is_known = (index >= 0) & (index < num_clients)
            server_variate = state["server_variate"]
            last_round = tf.gather(state["last_round"], tf.where(is_known, index, 0))
            own_variate = variates.read(
                index, tf.where(is_known, last_round, -1), vector_spec(weights.trainable)
            )
            worked = compiled(local_training, _train_and_change, bound, local_training)(
                weights=weights,
                data=local_data,
                plan=plan,
                server_variate=server_variate,
                own_variate=own_variate,
                is_known=is_known,
                num_clients=num_clients,
            )
            result = client_result(
                bound,
                local_training,
                data=local_data,
                plan=plan,
                weights=weights,
                trainable=worked.trainable,
                report=report,
            )
            variates.write_if(worked.takes_part, index, state["round_number"], worked.own_variate)
            return collections.OrderedDict(
                result=result,
                share_of_change=worked.share_of_change,
                entry=collections.OrderedDict(wrote=tf.where(worked.takes_part, index, -1)),
            )

        return run(state, weights, data)

    entry_type = work.type_signature.result["entry"]

    @tff.tensorflow.computation(state_type, trainable_type, cohort_table.table_type(entry_type))
    def next_state(state: Any, mean_change: Any, table: Any) -> Any:
        wrote = tf.boolean_mask(table["wrote"], table["wrote"] >= 0)
        return collections.OrderedDict(
            round_number=state["round_number"] + 1,
            server_variate=tf.nest.map_structure(tf.add, state["server_variate"], mean_change),
            last_round=tf.tensor_scatter_nd_update(
                state["last_round"],
                wrote[:, tf.newaxis],
                tf.fill(tf.shape(wrote), state["round_number"]),
            ),
        )

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_zip(
            collections.OrderedDict(
                scaffold=tff.federated_eval(initial_state, tff.SERVER),
                sum_of_changes=sum_of_changes.initialize(),
            )
        )

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(weights_type, tff.CLIENTS),
        tff.FederatedType(data_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, weights: tff.Value, clients: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        worked = tff.federated_map(
            work, (tff.federated_broadcast(state["scaffold"]), weights, clients)
        )
        changes = sum_of_changes.next(state["sum_of_changes"], worked["share_of_change"])
        table = cohort_table.gather_table(worked["entry"])
        return tff.templates.MeasuredProcessOutput(
            tff.federated_zip(
                collections.OrderedDict(
                    scaffold=tff.federated_map(
                        next_state, (state["scaffold"], changes.result, table)
                    ),
                    sum_of_changes=changes.state,
                )
            ),
            worked["result"],
            changes.measurements,
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)


class _Worked(NamedTuple):
    """What a client has when its training has ended.

    Attributes:
        trainable: Its own trainable weights `y`.
        share_of_change: `(c_i⁺ − c_i) / N`, shaped like `trainable`; zeros where it does not take
            part.
        own_variate: `c_i⁺` as one vector.
        takes_part: Bool scalar, whether the change counts.
    """

    trainable: Any
    share_of_change: Any
    own_variate: tf.Tensor
    takes_part: tf.Tensor


def _train_and_change(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    weights: ModelWeights,
    data: LocalData,
    plan: RoundPlan,
    server_variate: Any,
    own_variate: tf.Tensor,
    is_known: tf.Tensor,
    num_clients: int,
) -> _Worked:
    """Trains and estimates the new variate, small models as one XLA program: few operations."""
    trainable, _ = training_loop.train(
        model,
        local_training,
        weights=weights,
        data=data,
        plan=plan,
        gradient_correction=tf.nest.map_structure(
            tf.subtract, server_variate, as_structure(own_variate, weights.trainable)
        ),
    )
    # Option II; without steps the variate stays as it is.
    dtype = computed_in(trainable)
    scale = tf.math.divide_no_nan(
        tf.ones([], dtype), tf.cast(plan.num_steps, dtype) * tf.cast(plan.learning_rate, dtype)
    )
    change = tf.nest.map_structure(
        lambda received, own, c: tf.where(
            plan.num_steps > 0,
            tf.cast(tf.cast(received - own, dtype) * scale, c.dtype) - c,
            tf.zeros_like(c),
        ),
        weights.trainable,
        trainable,
        server_variate,
    )
    takes_part = is_known & cohort_table.is_all_finite(change)
    change = tf.nest.map_structure(lambda x: tf.where(takes_part, x, tf.zeros_like(x)), change)
    share_of_change = tf.nest.map_structure(lambda x: x / num_clients, change)
    return _Worked(trainable, share_of_change, own_variate + as_vector(change), takes_part)
