"""Client work: local training on a client's dense examples, and the report that is asked for."""

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work import training_loop
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_data import (
    LocalData,
    RoundPlan,
    client_data_type,
    plan_round,
    read_local_data,
)
from tff_weights.client_work.local_model import (
    BoundModel,
    LocalModel,
    Model,
    ModelWeights,
    local_model,
)
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.reports import (
    AskedField,
    LocalRun,
    Report,
    measure_report,
    plan_report,
)
from tff_weights.float_types import computed_in


def build_client_work(
    model: Model,
    local_training: LocalTraining,
    *,
    report_fields: tuple[AskedField, ...],
    correct_fn: CorrectFn | None = None,
) -> tff.learning.templates.ClientWorkProcess:
    """Builds the client work of every algorithm whose clients run plain local training.

    The process' `next` has the type
    `(<S@SERVER, W@CLIENTS, <client_index=int64*, examples=E*>@CLIENTS> →
    <state=S@SERVER, result=ClientResult(D, R)@CLIENTS, measurements=<>@SERVER>)`, where the state
    holds the round's number, `W` are the model's weights, the update `D` is TFF's model delta
    `w_t − w_i` of the trainable weights and the update weight `R` is the report, a structure of
    scalars with `report_fields`.

    Args:
        model: What TFF's own builders accept: a `tff.learning.models.FunctionalModel`, or a
            function that returns a `tff.learning.models.VariableModel`.
        local_training: The solver's parameters.
        report_fields: Names from `reports.REPORT_FIELDS`, and `ReportField`s of one's own; nothing
            else is measured.
        correct_fn: Who is right, for accuracies: see `correct_per_example`; by default what loss
            and shapes say, see `label_format`.

    Raises:
        TypeError: If `model` is of another kind.
        ValueError: If a report field is unknown or cannot be measured with this model, or local
            training shall be compiled with XLA and the model's loss is not a weighted mean under
            `sample_weight`.
    """
    model = checked_local_model(model, local_training)
    report = plan_report(model, report_fields, correct_fn)
    weights_type = model.initial_weights_computation().type_signature.result
    data_type = client_data_type(model)
    state_type = tff.to_type(collections.OrderedDict(round_number=np.int32))

    @tff.tensorflow.computation(state_type, weights_type, data_type)
    def work(state: Any, weights: ModelWeights, data: Any) -> Any:
        bound = model.bind()

        @tf.function(autograph=False)
        def run(
            round_number: tf.Tensor, weights: ModelWeights, data: Any
        ) -> tff.learning.templates.ClientResult:
            local_data = read_local_data(data, model, padded=local_training.compile_with_xla)
            plan = begin_round(bound, local_training, local_data, round_number)
            trainable, _ = compiled(local_training, training_loop.train, bound, local_training)(
                weights=weights, data=local_data, plan=plan
            )
            return client_result(
                bound,
                local_training,
                data=local_data,
                plan=plan,
                weights=weights,
                trainable=trainable,
                report=report,
            )

        return run(state["round_number"], weights, data)

    @tff.tensorflow.computation(state_type)
    def next_round(state: Any) -> Any:
        return collections.OrderedDict(round_number=state["round_number"] + 1)

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_value(collections.OrderedDict(round_number=np.int32(0)), tff.SERVER)

    @tff.federated_computation(
        tff.FederatedType(state_type, tff.SERVER),
        tff.FederatedType(weights_type, tff.CLIENTS),
        tff.FederatedType(data_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, weights: tff.Value, clients: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        result = tff.federated_map(work, (tff.federated_broadcast(state), weights, clients))
        return tff.templates.MeasuredProcessOutput(
            tff.federated_map(next_round, state), result, tff.federated_value((), tff.SERVER)
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)


def checked_local_model(model: Model, local_training: LocalTraining) -> LocalModel:
    """Wraps the model and checks that it can be trained as asked.

    Raises:
        TypeError: If `model` is of no kind that TFF's builders accept.
        ValueError: If local training shall be compiled with XLA and the model's loss is not a
            weighted mean under `sample_weight`.
    """
    wrapped = local_model(model, local_training.local_loss)
    if local_training.compile_with_xla and not wrapped.allows_sample_weight:
        raise ValueError(
            "compile_with_xla=True needs a FunctionalModel whose loss is the weighted mean under "
            "sample_weight; use compile_with_xla=False"
        )
    return wrapped


def begin_round(
    model: BoundModel,
    local_training: LocalTraining,
    data: LocalData,
    round_number: tf.Tensor,
    *,
    num_steps: tf.Tensor | None = None,
) -> RoundPlan:
    """Plans a client's round, see `plan_round`, and restarts what the model's layers draw from."""
    model.random_numbers.restart(local_training.shuffle_seed, round_number, data.client_index)
    return plan_round(local_training, data, round_number, num_steps=num_steps)


def compiled(local_training: LocalTraining, function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Returns `function` with some arguments bound, as one XLA program if that is asked for."""
    return tf.function(
        functools.partial(function, *arguments, **keywords),
        autograph=False,
        jit_compile=local_training.compile_with_xla,
    )


def client_result(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    data: LocalData,
    plan: RoundPlan,
    weights: ModelWeights,
    trainable: Any,
    report: Report,
) -> tff.learning.templates.ClientResult:
    """Returns a client's update and report once its training has ended.

    Args:
        model: The model, bound to this graph.
        local_training: The solver's parameters.
        data: The client's data.
        plan: What it did with them.
        weights: The received weights `w_t`.
        trainable: The client's own trainable weights `w_i`.
        report: What to report.
    """

    def evaluate(when: str, weights: ModelWeights) -> Any:
        measure = compiled(
            local_training,
            training_loop.evaluate,
            model,
            quantities=report.evaluated(when),
            correct_fn=report.correct_fn,
            padded=local_training.compile_with_xla,
        )
        return measure(weights=weights, data=data)

    sum_of_batch_losses = compiled(
        local_training, training_loop.sum_of_batch_losses, model, local_training
    )
    local_weights = ModelWeights(trainable, weights.non_trainable)
    local_run = LocalRun(
        data=data,
        plan=plan,
        model=model,
        weights_before=weights,
        weights_after=local_weights,
        # Two fields may need the same pass.
        evaluate_before=functools.lru_cache(lambda: evaluate("before", weights)),
        evaluate_after=functools.lru_cache(lambda: evaluate("after", local_weights)),
        batch_loss_sum_before=lambda: sum_of_batch_losses(weights=weights, data=data),
        label_format=report.label_format,
    )
    return tff.learning.templates.ClientResult(
        update=tf.nest.map_structure(tf.subtract, weights.trainable, trainable),
        update_weight=measure_report(report.fields, local_run, computed_in(trainable)),
    )
