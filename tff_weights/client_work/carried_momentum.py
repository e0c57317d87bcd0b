"""Client work of momentum SGD whose clients go on with the momentum of their last round."""

from __future__ import annotations

import collections
import os
from typing import Any

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
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.reports import AskedField, plan_report
from tff_weights.cohort import cohort_table


def build_carried_momentum_client_work(
    model: Model,
    local_training: LocalTraining,
    *,
    num_clients: int,
    variates_dir: str | os.PathLike[str],
    report_fields: tuple[AskedField, ...],
    correct_fn: CorrectFn | None = None,
) -> tff.learning.templates.ClientWorkProcess:
    """Builds `build_client_work`, but for where a client's momentum begins.

    FedFa's Algorithm 2 has `m = 0` among its inputs, outside the loop over rounds. In this reading
    each client keeps its own `m`, begins with 0 in its first round, and goes on with it in the next
    round it takes part in, however many rounds later. As FedFa's momenta are the clients' own, they
    stay with them, as SCAFFOLD's variates do (`ControlVariates`). Decision: `m` is kept as the sum
    of gradients, without the rate that eq. 1 multiplies by, so a rate that falls applies to all of
    it.

    The state holds the round's number and, per client, the round in which it last wrote its
    momentum, `[num_clients]` int32, −1 for never. A client whose momentum is not finite, or whose
    index is unknown, writes none.

    Args:
        model: See `build_client_work`.
        local_training: The solver's parameters; with an optimizer of its own there is no momentum
            to carry on.
        num_clients: The number of clients in all.
        variates_dir: The directory of the clients' momenta, which whatever computes for them can
            write.
        report_fields: See `build_client_work`.
        correct_fn: See `build_client_work`.

    Raises:
        ValueError: If an argument is outside its documented range, or there is no momentum.
    """
    check_integer("num_clients", num_clients, least=1)
    if not local_training.momentum:
        raise ValueError(
            "momentum that is carried on must be above 0, got local_training.momentum="
            f"{local_training.momentum!r}"
        )
    model = checked_local_model(model, local_training)
    report = plan_report(model, report_fields, correct_fn)
    momenta = ControlVariates(variates_dir)
    weights_type = model.initial_weights_computation().type_signature.result
    data_type = client_data_type(model)

    @tff.tensorflow.computation
    def initial_state() -> Any:
        return collections.OrderedDict(
            round_number=np.int32(0), last_round=tf.fill([num_clients], -1)
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
            last_round = tf.gather(state["last_round"], tf.where(is_known, index, 0))
            momentum = momenta.read(
                index, tf.where(is_known, last_round, -1), vector_spec(weights.trainable)
            )
            trainable, momentum = compiled(local_training, _train_on, bound, local_training)(
                weights=weights, data=local_data, plan=plan, momentum=momentum
            )
            is_kept = is_known & cohort_table.is_all_finite(momentum)
            momenta.write_if(is_kept, index, state["round_number"], momentum)
            return collections.OrderedDict(
                result=client_result(
                    bound,
                    local_training,
                    data=local_data,
                    plan=plan,
                    weights=weights,
                    trainable=trainable,
                    report=report,
                ),
                entry=collections.OrderedDict(wrote=tf.where(is_kept, index, -1)),
            )

        return run(state, weights, data)

    table_type = cohort_table.table_type(work.type_signature.result["entry"])

    @tff.tensorflow.computation(state_type, table_type)
    def next_state(state: Any, table: Any) -> Any:
        wrote = tf.boolean_mask(table["wrote"], table["wrote"] >= 0)
        return collections.OrderedDict(
            round_number=state["round_number"] + 1,
            last_round=tf.tensor_scatter_nd_update(
                state["last_round"],
                wrote[:, tf.newaxis],
                tf.fill(tf.shape(wrote), state["round_number"]),
            ),
        )

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_eval(initial_state, tff.SERVER)

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(weights_type, tff.CLIENTS),
        tff.FederatedType(data_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, weights: tff.Value, clients: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        worked = tff.federated_map(work, (tff.federated_broadcast(state), weights, clients))
        table = cohort_table.gather_table(worked["entry"])
        return tff.templates.MeasuredProcessOutput(
            tff.federated_map(next_state, (state, table)),
            worked["result"],
            tff.federated_value((), tff.SERVER),
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)


def _train_on(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    weights: ModelWeights,
    data: LocalData,
    plan: RoundPlan,
    momentum: tf.Tensor,
) -> tuple[Any, tf.Tensor]:
    """Trains from a momentum, and returns the client's weights and its momentum, as one vector."""
    trainable, last = training_loop.train(
        model,
        local_training,
        weights=weights,
        data=data,
        plan=plan,
        first_momentum=as_structure(momentum, weights.trainable),
    )
    return trainable, as_vector(last)
