"""The client work of every algorithm as a TFF process."""

from __future__ import annotations

import collections
import functools
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.client_work import (
    answer_of_client,
    checked_local_model,
    work_of_client,
)
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_data import client_data_type
from tff_weights.client_work.local_model import LocalModel, Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import ClientWorkState, LocalWork, ServerState
from tff_weights.client_work.reports import AskedField, plan_report
from tff_weights.cohort import cohort_table
from tff_weights.cohort.inner_sum import create_inner_sum, inner_sum, widen_at_clients
from tff_weights.distributors.movement import distributed_type

PLAIN = LocalWork()


def build_client_work(
    model: Model | LocalModel,
    local_training: LocalTraining,
    *,
    report_fields: tuple[AskedField, ...],
    work: LocalWork = PLAIN,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    correct_fn: CorrectFn | None = None,
) -> tff.learning.templates.ClientWorkProcess:
    """Builds the client work of every algorithm: local training, with the algorithm's own work.

    The process' `next` has the type
    `(<S@SERVER, W@CLIENTS, <client_index=int64*, examples=E*>@CLIENTS> →
    <state=S@SERVER, result=ClientResult(D, R)@CLIENTS, measurements=M@SERVER>)`. The state is a
    `ClientWorkState`, and `W` are the model's weights. The update `D` is TFF's model delta
    `w_t − w_i` of the trainable weights. The update weight `R` is the report, a structure of
    scalars with `report_fields`.

    Args:
        model: A `tff.learning.models.FunctionalModel`, or a function that returns a
            `tff.learning.models.VariableModel`, as for TFF's own builders. Or what
            `checked_local_model` made of it, so that a Keras model is built less often.
        local_training: The solver's parameters.
        report_fields: Names from `reports.REPORT_FIELDS`, and further `ReportField`s; nothing else
            is measured.
        work: What clients do; by default plain local training.
        inner_factory: Adds up what clients send besides their updates; by default a plain sum.
        correct_fn: Which predictions are right, for accuracies, see `correct_per_example`; by
            default loss and shapes decide, see `label_format`.

    Raises:
        TypeError: If `model` is of another kind, or `inner_factory` is not an unweighted
            aggregation factory.
        ValueError: If a report field is unknown or cannot be measured with this model, or if `work`
            does not allow this local training. Also if it is to be compiled with XLA, but the
            model's loss is not a weighted mean under `sample_weight`.
    """
    work.check(local_training)
    model = checked_local_model(model, local_training)
    report = plan_report(model, report_fields, correct_fn)
    weights_type = model.initial_weights_computation.type_signature.result
    model_type = distributed_type(weights_type) if work.needs_movement else weights_type
    data_type = client_data_type(model)

    @tff.tensorflow.computation
    def initial_state() -> ServerState:
        last_round = tf.fill([work.num_clients], -1) if work.server_knows_who_kept else ()
        specs = tff.types.type_to_tf_tensor_specs(weights_type.trainable)
        return ServerState(tf.constant(0), last_round, work.initial_state(local_training, specs))

    server_type = initial_state.type_signature.result

    @tff.tensorflow.computation(server_type)
    def to_clients(state: ServerState) -> ServerState:
        return state._replace(own=work.to_clients(state.own))

    @tff.tensorflow.computation(to_clients.type_signature.result, model_type, data_type)
    def work_at_client(sent: ServerState, distributed: Any, data: Any) -> Any:
        run = functools.partial(work_of_client, work, model.bind(), local_training, report)
        return tf.function(run, autograph=False)(sent, distributed, data)

    worked_type = work_at_client.type_signature.result
    columns = tff.structure.name_list(worked_type["row"])
    has_rows = bool({*columns} - {cohort_table.KEPT})
    table_type = cohort_table.table_type(worked_type["row"])
    total_type = worked_type["added"]
    adding = create_inner_sum(inner_sum(inner_factory), total_type) if total_type else None

    answers_type = tff.to_type(())
    if work.asks:

        @tff.tensorflow.computation(
            to_clients.type_signature.result, model_type, data_type, total_type
        )
        def answer_at_client(sent: ServerState, distributed: Any, data: Any, total: Any) -> Any:
            run = functools.partial(answer_of_client, work, model.bind(), local_training)
            return tf.function(run, autograph=False)(sent, distributed, data, total)

        answers_type = cohort_table.table_type(answer_at_client.type_signature.result)

    @tff.tensorflow.computation(server_type, table_type, total_type, answers_type)
    def next_state(state: ServerState, table: Any, total: Any, answers: Any) -> Any:
        asked = {"answers": cohort_table.reports_of_participants(answers)} if work.asks else {}
        own, measurements = work.next_state(
            local_training,
            state.own,
            round_number=state.round_number,
            reports=cohort_table.reports_of_participants(table) if has_rows else {},
            total=total,
            **asked,
        )
        last_round = state.last_round
        if work.server_knows_who_kept:
            kept = table[cohort_table.KEPT]
            kept = tf.boolean_mask(kept, kept >= 0)
            last_round = tf.tensor_scatter_nd_update(
                last_round, kept[:, tf.newaxis], tf.fill(tf.shape(kept), state.round_number)
            )
        return collections.OrderedDict(
            state=ServerState(state.round_number + 1, last_round, own), measurements=measurements
        )

    publishes = bool(next_state.type_signature.result["measurements"])

    @tff.federated_computation
    def initialize() -> tff.Value:
        nothing = tff.federated_value((), tff.SERVER)
        return tff.federated_zip(
            ClientWorkState(
                tff.federated_eval(initial_state, tff.SERVER),
                nothing if adding is None else adding.initialize(),
            )
        )

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(model_type, tff.CLIENTS),
        tff.FederatedType(data_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, weights: tff.Value, clients: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        nothing = tff.federated_value((), tff.SERVER)
        sent = tff.federated_broadcast(tff.federated_map(to_clients, state.server))
        worked = tff.federated_map(work_at_client, (sent, weights, clients))
        table = cohort_table.gather_table(worked["row"]) if columns else nothing
        total = tff.templates.MeasuredProcessOutput(state.inner_sum, nothing, nothing)
        if adding is not None:
            if has_rows:
                added = _scaled_by_shares(work, worked["added"], worked["row"], table)
            else:
                added = widen_at_clients(worked["added"])
            total = adding.next(state.inner_sum, added)
        answers = nothing
        if work.asks:
            told = (sent, weights, clients, tff.federated_broadcast(total.result))
            answers = cohort_table.gather_table(tff.federated_map(answer_at_client, told))
        updated = tff.federated_map(next_state, (state.server, table, total.result, answers))
        return tff.templates.MeasuredProcessOutput(
            tff.federated_zip(ClientWorkState(updated["state"], total.state)),
            worked["result"],
            updated["measurements"] if publishes else total.measurements,
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)


def _scaled_by_shares(
    work: LocalWork, added: tff.Value, rows: tff.Value, table: tff.Value
) -> tff.Value:
    @tff.tensorflow.computation(table.type_signature.member)
    def address_shares(table: Any) -> Any:
        shares = work.shares(cohort_table.reports_of_participants(table))
        return cohort_table.address_weights(table, shares)

    return cohort_table.scale_by_own_weight(added, rows, tff.federated_map(address_shares, table))
