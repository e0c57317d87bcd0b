"""Every client trains alone on its own data: the baseline without federated learning."""

from __future__ import annotations

import collections
import dataclasses
import os
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.checks import check_path
from tff_weights.client_work import training_loop
from tff_weights.client_work.client_work import checked_local_model
from tff_weights.client_work.local_model import BoundModel, Model, ModelWeights
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import Client, LocalWork, Trained
from tff_weights.client_work.process import build_client_work
from tff_weights.cohort import cohort_table
from tff_weights.structures import is_all_finite

_REPORT_FIELDS = ("client_index", "num_examples", "num_steps")


def build_trained_alone(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    store_dir: str | os.PathLike[str],
) -> tff.learning.templates.LearningProcess:
    """Builds the process of clients that never share anything.

    A client of the cohort continues from its own model, at first from the common initial weights.
    Its local training is FedAvg's: the same steps, rate of the round and order of the examples. A
    model that is not finite is not kept: the client continues from its last one. The models stay
    on the clients' disks, see `ClientStore`, and `OwnModels` reads them. So the program holds one
    model at a time, however many clients there are. `get_model_weights` gives the initial weights.

    No paper has it. A round's metrics hold the reports of its clients,
    `aggregator/cohort/reports`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        num_clients: The number of clients in all; the model of any other index is not kept.
        store_dir: The directory of the clients' models; the processes that compute for clients
            must be able to write to it. `prune_client_store` removes those that no resumed run
            needs.

    Raises:
        ValueError: If `num_clients` is less than 1, or `store_dir` is no path.
    """
    check_path("store_dir", store_dir)
    work = _OwnModel(num_clients, store_dir)
    wrapped = checked_local_model(model, local_training)
    weights_type = wrapped.initial_weights_computation.type_signature.result
    client_work = build_client_work(
        wrapped, local_training, report_fields=_REPORT_FIELDS, work=work
    )
    return tff.learning.templates.compose_learning_process(
        wrapped.initial_weights_computation,
        tff.learning.templates.build_broadcast_process(weights_type),
        client_work,
        _gathering_reports(work, client_work.next.type_signature.result.result.member),
        _leaving_the_model_as_it_is(weights_type),
    )


@dataclasses.dataclass(frozen=True)
class _OwnModel(LocalWork):
    def train(self, model: BoundModel, local_training: LocalTraining, client: Client) -> Trained:
        trainable, _ = training_loop.train(
            model,
            local_training,
            weights=ModelWeights(client.own_model(), client.weights.non_trainable),
            data=client.data,
            plan=client.plan,
        )
        return Trained(trainable, kept=trainable)


def _gathering_reports(
    work: LocalWork, client_result_type: tff.StructType
) -> tff.templates.AggregationProcess:
    """Builds an aggregation without a sum, which only publishes the clients' reports."""
    update_type, report_type = client_result_type.update, client_result_type.update_weight

    @tff.tensorflow.computation(update_type, report_type)
    def enter(update: Any, report: Any) -> Any:
        reason = cohort_table.reason_to_leave_out(
            unknown_client=~work.knows(report["client_index"]),
            no_examples=tf.equal(report["num_examples"], 0),
            update_not_finite=~is_all_finite(update),
        )
        return cohort_table.new_entry(report, reason)

    @tff.tensorflow.computation(cohort_table.table_type(enter.type_signature.result))
    def measure(table: Any) -> Any:
        reports = cohort_table.reports_of_participants(table)
        return collections.OrderedDict(
            cohort=collections.OrderedDict(reports=reports, **cohort_table.participation(table))
        )

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_value((), tff.SERVER)

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(update_type, tff.CLIENTS),
        tff.FederatedType(report_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, updates: tff.Value, reports: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        table = cohort_table.gather_table(tff.federated_map(enter, (updates, reports)))
        nothing = tff.federated_value((), tff.SERVER)
        return tff.templates.MeasuredProcessOutput(
            state, nothing, tff.federated_map(measure, table)
        )

    return tff.templates.AggregationProcess(initialize, next_fn)


def _leaving_the_model_as_it_is(
    weights_type: tff.Type,
) -> tff.learning.templates.FinalizerProcess:
    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_value((), tff.SERVER)

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(weights_type, tff.SERVER),
        initialize.type_signature.result,
    )
    def next_fn(
        state: tff.Value, weights: tff.Value, nothing: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        return tff.templates.MeasuredProcessOutput(state, weights, nothing)

    return tff.learning.templates.FinalizerProcess(initialize, next_fn)
