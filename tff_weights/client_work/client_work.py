"""Client work: local training on a client's dense examples, and the report that is asked for."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work import dense_examples, training_loop
from tff_weights.client_work.local_model import (
    BoundModel,
    LocalModel,
    Model,
    ModelWeights,
    local_model,
)
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.reports import (
    REPORT_FIELDS,
    LocalRun,
    check_report_fields,
)


def client_data_type(model: LocalModel) -> tff.Type:
    """Returns the type of one client's data, `<client_index=int64*, examples=E*>`.

    The index is a sequence of exactly one element, because a learning process accepts nothing
    but sequences from clients; the examples are raw and unbatched.
    """
    return tff.to_type(
        collections.OrderedDict(
            client_index=tff.SequenceType(np.int64),
            examples=tff.SequenceType(tff.types.tensorflow_to_type(model.example_spec)),
        )
    )


def client_data(client_index: int, examples: tf.data.Dataset) -> dict[str, tf.data.Dataset]:
    """Returns one client's data as every process of this library takes it.

    Args:
        client_index: The client's position in `0..num_clients−1`, the same in every round.
        examples: The client's raw, unbatched examples; batching, shuffling and epochs belong to
            the algorithm's local training.
    """
    return collections.OrderedDict(
        client_index=tf.data.Dataset.from_tensors(np.int64(client_index)), examples=examples
    )


def build_client_work(
    model: Model,
    local_training: LocalTraining,
    *,
    report_fields: tuple[str, ...],
    correct_fn: training_loop.CorrectFn | None = None,
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
        report_fields: Names from `reports.REPORT_FIELDS`; nothing else is measured.
        correct_fn: `(predictions, labels) → [batch, ...]` float32, 1.0 where right; by default
            the largest prediction must be the integer label's.

    Raises:
        TypeError: If `model` is of another kind.
        ValueError: If a report field is unknown, or local training shall be compiled with XLA
            and the model's loss is not a weighted mean under `sample_weight`.
    """
    check_report_fields(report_fields)
    model = local_model(model)
    if local_training.compile_with_xla and not model.allows_sample_weight:
        raise ValueError(
            "compile_with_xla=True needs a FunctionalModel whose loss is the weighted mean under "
            "sample_weight; use compile_with_xla=False"
        )
    run_client = _build_run_client(
        model, local_training, report_fields, correct_fn or training_loop.sparse_categorical_correct
    )

    weights_type = model.initial_weights_computation().type_signature.result
    data_type = client_data_type(model)
    state_type = tff.to_type(collections.OrderedDict(round_number=np.int32))

    @tff.tensorflow.computation(state_type, weights_type, data_type)
    def client_computation(state: Any, weights: ModelWeights, data: Any) -> Any:
        return run_client(model.bind(), state["round_number"], weights, data)

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
        result = tff.federated_map(
            client_computation, (tff.federated_broadcast(state), weights, clients)
        )
        return tff.templates.MeasuredProcessOutput(
            tff.federated_map(next_round, state), result, tff.federated_value((), tff.SERVER)
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)


def _build_run_client(
    model: LocalModel,
    local_training: LocalTraining,
    report_fields: tuple[str, ...],
    correct_fn: training_loop.CorrectFn,
) -> Callable[[BoundModel, tf.Tensor, ModelWeights, Any], tff.learning.templates.ClientResult]:
    """Returns one client's round, from the received weights to its update and report."""
    compiled = functools.partial(tf.function, jit_compile=local_training.compile_with_xla)

    def run_client(
        bound: BoundModel, round_number: tf.Tensor, weights: ModelWeights, data: Any
    ) -> tff.learning.templates.ClientResult:
        train = compiled(functools.partial(training_loop.train, bound, local_training))
        evaluate = compiled(
            functools.partial(
                training_loop.evaluate,
                bound,
                correct_fn=correct_fn,
                padded=local_training.compile_with_xla,
            )
        )

        @tf.function
        def run(
            round_number: tf.Tensor, weights: ModelWeights, data: Any
        ) -> tff.learning.templates.ClientResult:
            client_index = data["client_index"].reduce(np.int64(-1), lambda _, index: index)
            examples = dense_examples.to_dense(data["examples"], model.example_spec)
            num_examples = dense_examples.count_rows(examples)
            num_steps = training_loop.num_local_steps(local_training, num_examples)
            learning_rate = local_training.learning_rate * tf.pow(
                tf.constant(local_training.learning_rate_decay), tf.cast(round_number, tf.float32)
            )
            orders = dense_examples.epoch_orders(
                num_examples=num_examples,
                num_epochs=training_loop.num_started_epochs(
                    local_training, num_examples, num_steps
                ),
                shuffle=local_training.shuffle,
                seed=local_training.shuffle_seed,
                round_number=round_number,
                client_index=client_index,
            )
            if local_training.compile_with_xla:
                num_rows = dense_examples.padded_size(num_examples)
                examples = dense_examples.pad(examples, num_rows)
                orders = dense_examples.pad(orders, num_rows, axis=1)

            trainable = train(
                weights=weights,
                examples=examples,
                num_examples=num_examples,
                orders=orders,
                num_steps=num_steps,
                learning_rate=learning_rate,
            )
            evaluate_at = functools.partial(evaluate, examples=examples, num_examples=num_examples)
            local_run = LocalRun(
                client_index=client_index,
                num_examples=num_examples,
                num_steps=num_steps,
                learning_rate=learning_rate,
                evaluate_before=functools.lru_cache(lambda: evaluate_at(weights=weights)),
                evaluate_after=functools.lru_cache(
                    lambda: evaluate_at(weights=ModelWeights(trainable, weights.non_trainable))
                ),
            )
            return tff.learning.templates.ClientResult(
                update=tf.nest.map_structure(tf.subtract, weights.trainable, trainable),
                update_weight=collections.OrderedDict(
                    (name, tf.cast(field.measure(local_run), field.dtype))
                    for name, field in ((name, REPORT_FIELDS[name]) for name in report_fields)
                ),
            )

        return run(round_number, weights, data)

    return run_client
