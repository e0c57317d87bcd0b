"""Every client trained alone on its own data: the baseline without federated learning."""

from __future__ import annotations

import collections
import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
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
from tff_weights.client_work.local_data import client_data_type, read_local_data
from tff_weights.client_work.local_model import Model, ModelWeights, local_model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.reports import plan_report
from tff_weights.cohort import cohort_table

_REPORT_FIELDS = ("client_index", "num_examples", "num_steps")


class TrainedAloneState(NamedTuple):
    """What the program knows of clients that train alone.

    Attributes:
        initial_weights: Where every client starts; they never change.
        round_number: int32 scalar, how many rounds are done.
        last_round: `[num_clients]` int32, in which round each client last trained, the first being
            0; −1 for never.
    """

    initial_weights: ModelWeights
    round_number: Any
    last_round: Any


def build_trained_alone(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    variates_dir: str | os.PathLike[str],
) -> tff.learning.templates.LearningProcess:
    """Builds the process of clients that never share anything.

    A client of the cohort continues from its own model, at first from the common initial weights.
    Its local training is FedAvg's: the same steps, rate of the round and order of the examples. Its
    model stays on its disk, as SCAFFOLD's variates do, and `OwnModels` reads it: the program holds
    one model at a time, however many clients there are. `get_model_weights` gives the initial
    weights.

    No paper has it. A round's metrics hold the reports of its clients,
    `aggregator/cohort/reports`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        num_clients: The number of clients in all; the model of any other index is not kept.
        variates_dir: The directory of the clients' models; the processes that compute for clients
            must be able to write to it. `prune_control_variates` removes those that no resumed run
            needs.

    Raises:
        ValueError: If `num_clients` is less than 1.
    """
    check_integer("num_clients", num_clients, least=1)
    local = checked_local_model(model, local_training)
    report = plan_report(local, _REPORT_FIELDS)
    own_models = ControlVariates(variates_dir)
    data_type = client_data_type(local)

    @tff.tensorflow.computation
    def initial_state() -> TrainedAloneState:
        return TrainedAloneState(
            local.initial_weights(), tf.constant(0), tf.fill([num_clients], -1)
        )

    state_type = initial_state.type_signature.result

    @tff.tensorflow.computation(state_type, data_type)
    def work(state: TrainedAloneState, data: Any) -> Any:
        bound = local.bind()

        @tf.function(autograph=False)
        def run(state: TrainedAloneState, data: Any) -> Any:
            local_data = read_local_data(data, local, padded=local_training.compile_with_xla)
            plan = begin_round(bound, local_training, local_data, state.round_number)
            index = local_data.client_index
            is_known = (index >= 0) & (index < num_clients)
            last_round = tf.gather(state.last_round, tf.where(is_known, index, 0))
            last_round = tf.where(is_known, last_round, -1)
            initial = state.initial_weights
            own = tf.nest.map_structure(
                lambda kept, first: tf.where(last_round >= 0, kept, first),
                as_structure(
                    own_models.read(index, last_round, vector_spec(initial.trainable)),
                    initial.trainable,
                ),
                initial.trainable,
            )
            weights = ModelWeights(own, initial.non_trainable)
            trainable, _ = compiled(local_training, training_loop.train, bound, local_training)(
                weights=weights, data=local_data, plan=plan
            )
            # A model that is not finite is not kept: the client continues from its last one.
            reason = cohort_table.reason_to_leave_out(
                unknown_client=~is_known,
                update_not_finite=~cohort_table.is_all_finite(trainable),
            )
            own_models.write_if(
                cohort_table.takes_part(reason), index, state.round_number, as_vector(trainable)
            )
            reported = client_result(
                bound,
                local_training,
                data=local_data,
                plan=plan,
                weights=weights,
                trainable=trainable,
                report=report,
            ).update_weight
            return cohort_table.new_entry(reported, reason)

        return run(state, data)

    table_type = cohort_table.table_type(work.type_signature.result)

    @tff.tensorflow.computation(state_type, table_type)
    def next_state(state: TrainedAloneState, table: Any) -> TrainedAloneState:
        trained = cohort_table.reports_of_participants(table)["client_index"]
        last_round = tf.tensor_scatter_nd_update(
            state.last_round,
            trained[:, tf.newaxis],
            tf.fill(tf.shape(trained), state.round_number),
        )
        return TrainedAloneState(state.initial_weights, state.round_number + 1, last_round)

    @tff.tensorflow.computation(table_type)
    def measure(table: Any) -> Any:
        reports = cohort_table.reports_of_participants(table)
        cohort = collections.OrderedDict(reports=reports, **cohort_table.participation(table))
        return collections.OrderedDict(aggregator=collections.OrderedDict(cohort=cohort))

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_eval(initial_state, tff.SERVER)

    @tff.federated_computation(
        initialize.type_signature.result, tff.FederatedType(data_type, tff.CLIENTS)
    )
    def next_fn(
        state: tff.Value, clients: tff.Value
    ) -> tff.learning.templates.LearningProcessOutput:
        entries = tff.federated_map(work, (tff.federated_broadcast(state), clients))
        table = cohort_table.gather_table(entries)
        return tff.learning.templates.LearningProcessOutput(
            tff.federated_map(next_state, (state, table)), tff.federated_map(measure, table)
        )

    @tff.tensorflow.computation(state_type)
    def get_model_weights(state: TrainedAloneState) -> ModelWeights:
        return state.initial_weights

    @tff.tensorflow.computation(state_type, state_type.initial_weights)
    def set_model_weights(state: TrainedAloneState, weights: ModelWeights) -> TrainedAloneState:
        return TrainedAloneState(weights, state.round_number, state.last_round)

    return tff.learning.templates.LearningProcess(
        initialize, next_fn, get_model_weights, set_model_weights
    )


class OwnModels:
    """The models of clients that train alone, read where the program runs."""

    def __init__(self, model: Model, variates_dir: str | os.PathLike[str]):
        """Names the directory; reads nothing.

        Args:
            model: The model that the process was built for.
            variates_dir: The directory that it was built with.
        """
        self._files = ControlVariates(variates_dir)
        self._like = local_model(model).initial_weights().trainable

    def last_rounds(self, state: TrainedAloneState) -> npt.NDArray[np.int32]:
        """Returns `[num_clients]`, in which round each client last trained; −1 for never."""
        return np.asarray(state.last_round, np.int32)

    def weights(self, state: TrainedAloneState, client_index: int) -> ModelWeights:
        """Returns a client's own model after the rounds of a state."""
        last_round = int(self.last_rounds(state)[client_index])
        initial = state.initial_weights
        if last_round < 0:
            return ModelWeights(initial.trainable, initial.non_trainable)
        index = tf.constant(client_index, tf.int64)
        vector = self._files.read(index, tf.constant(last_round), vector_spec(self._like))
        return ModelWeights(as_structure(vector, self._like), initial.non_trainable)
