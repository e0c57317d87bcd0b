"""What one client does in a round: local training on its dense examples, and its report."""

from __future__ import annotations

import collections
import functools
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work import training_loop
from tff_weights.client_work.any_model import local_model
from tff_weights.client_work.client_store import (
    ClientStore,
    as_structure,
    as_vector,
    vector_spec,
)
from tff_weights.client_work.local_data import (
    LocalData,
    RoundPlan,
    plan_round,
    read_local_data,
)
from tff_weights.client_work.local_model import (
    BoundModel,
    LocalModel,
    Model,
    ModelWeights,
)
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import Client, LocalWork, ServerState, Trained
from tff_weights.client_work.reports import LocalRun, Report, measure_report
from tff_weights.cohort import cohort_table
from tff_weights.float_types import computed_in, is_structure_of_floats
from tff_weights.structures import is_all_finite


def checked_local_model(model: Model | LocalModel, local_training: LocalTraining) -> LocalModel:
    """Wraps the model and checks that it can be trained as asked; a wrapped one stays as it is.

    Raises:
        TypeError: If `model` is of a kind that TFF's builders do not accept, or has trainable
            weights that are no floats.
        ValueError: If local training is to be compiled with XLA, but the model's loss is not a
            weighted mean under `sample_weight`, or its outputs depend on the rest of the batch.
    """
    if isinstance(model, LocalModel):
        return model
    wrapped = local_model(model, local_training.local_loss)
    weights_type = wrapped.initial_weights_computation.type_signature.result
    if not is_structure_of_floats(weights_type.trainable):
        raise TypeError(f"the model's trainable weights must be floats, got {weights_type}")
    if local_training.compile_with_xla and not wrapped.allows_sample_weight:
        raise ValueError(
            "compile_with_xla=True needs a FunctionalModel whose loss is the weighted mean under "
            "sample_weight, which one of TFF's load_functional_model does not take, and whose "
            "output for an example does not depend on the rest of the batch; use "
            "compile_with_xla=False"
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
    """Plans a client's round, see `plan_round`, and restarts the layers' random stream."""
    model.random_numbers.restart(local_training.shuffle_seed, round_number, data.client_index)
    return plan_round(local_training, data, round_number, num_steps=num_steps)


def compiled(local_training: LocalTraining, function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Returns `function` with some arguments bound, compiled as one XLA program if requested."""
    return tf.function(
        functools.partial(function, *arguments, **keywords),
        autograph=False,
        jit_compile=local_training.compile_with_xla,
    )


def compiled_loss(local_training: LocalTraining, model: BoundModel) -> Any:
    """Returns a function of `weights` and `data` whose result has the mean `loss` of a client."""
    return compiled(
        local_training,
        training_loop.evaluate,
        model,
        quantities=("loss",),
        correct_fn=None,
        padded=local_training.compile_with_xla,
    )


def work_of_client(
    work: LocalWork,
    bound: BoundModel,
    local_training: LocalTraining,
    report: Report,
    sent: ServerState,
    distributed: Any,
    data: Any,
) -> Any:
    """Returns what one client does in a round, inside its graph.

    Args:
        work: The algorithm's own client work.
        bound: The model, bound to this graph.
        local_training: The solver's parameters.
        report: What to report.
        sent: A `ServerState` whose `own` is what `LocalWork.to_clients` returned.
        distributed: The model's weights, with their movement where the work needs it.
        data: The client's, of the type `client_data_type(model)`.

    Returns:
        Its `result`, what it has `added`, and its `row` of the server's table. The row has the
        scalars of `Trained`, and as `cohort_table.KEPT` the client's index, or −1 if it has kept
        nothing.
    """
    weights, movement = distributed, ()
    if work.needs_movement:
        weights, movement = distributed["weights"], distributed["movement"]
    local_data = read_local_data(data, padded=local_training.compile_with_xla)
    index, round_number = local_data.client_index, sent.round_number
    is_known = work.knows(index)
    known_index = tf.where(is_known, index, 0)
    plan = begin_round(
        bound,
        local_training,
        local_data,
        round_number,
        num_steps=work.num_steps(sent.own, known_index),
    )
    client = Client(weights, local_data, plan, sent.own, movement)
    store = None if work.store_dir is None else ClientStore(work.store_dir)
    if store is not None:
        if work.server_knows_who_kept:
            last_round = tf.where(is_known, tf.gather(sent.last_round, known_index), -1)
        else:
            last_round = store.round_before(index, round_number)
        kept = store.read(index, last_round, vector_spec(weights.trainable))
        client = client._replace(has_kept=last_round >= 0, kept=kept)
    train = compiled(local_training, _train, work, bound, local_training, report)
    trained, counts, evaluated = train(client=client, is_known=is_known)
    row: dict[str, Any] = collections.OrderedDict()
    if trained.row:
        cohort_table.check_names(f"the row of {type(work).__name__}", trained.row)
        reason = cohort_table.reason_to_leave_out(
            unknown_client=~is_known,
            no_examples=tf.equal(local_data.num_examples, 0),
            update_not_finite=~counts,
        )
        row.update(cohort_table.new_entry(trained.row, reason))
    if store is not None:
        store.write_if(counts, index, round_number, trained.kept)
    if work.server_knows_who_kept:
        row[cohort_table.KEPT] = tf.where(counts, index, -1)
    local_run = LocalRun(
        data=local_data,
        plan=plan,
        model=bound,
        weights_before=weights,
        weights_after=ModelWeights(trained.trainable, weights.non_trainable),
        evaluate_before=lambda: evaluated["before"],
        evaluate_after=lambda: evaluated["after"],
        batch_loss_sum_before=lambda: compiled(
            local_training, training_loop.sum_of_batch_losses, bound, local_training
        )(weights=weights, data=local_data),
        label_format=report.label_format,
        received=sent.own,
    )
    result = tff.learning.templates.ClientResult(
        update=tf.nest.map_structure(tf.subtract, weights.trainable, trained.trainable),
        update_weight=measure_report(report.fields, local_run, computed_in(trained.trainable)),
    )
    return collections.OrderedDict(result=result, added=trained.added, row=row)


def answer_of_client(
    work: LocalWork,
    bound: BoundModel,
    local_training: LocalTraining,
    sent: ServerState,
    distributed: Any,
    data: Any,
    total: Any,
) -> Any:
    """Returns a client's row of the answers, inside its graph.

    Args:
        work: A work that asks.
        bound: As for `work_of_client`, and so the next four.
        local_training: The solver's parameters.
        sent: What the server sent.
        distributed: What it distributed.
        data: The client's.
        total: The sum of what clients added.
    """
    weights = distributed["weights"] if work.needs_movement else distributed
    local_data = read_local_data(data, padded=local_training.compile_with_xla)
    plan = begin_round(bound, local_training, local_data, sent.round_number)
    client = Client(weights, local_data, plan, sent.own)
    row = work.answer(bound, local_training, client, total)
    cohort_table.check_names(f"the answer of {type(work).__name__}", row)
    reason = cohort_table.reason_to_leave_out(
        unknown_client=~work.knows(local_data.client_index),
        report_not_finite=~is_all_finite(row),
    )
    return cohort_table.new_entry(row, reason)


def _train(
    work: LocalWork,
    bound: BoundModel,
    local_training: LocalTraining,
    report: Report,
    *,
    client: Client,
    is_known: tf.Tensor,
) -> tuple[Trained, tf.Tensor, dict[str, Any]]:
    """Trains a client and evaluates its models, in one program: to start another takes long.

    Returns:
        What it has trained, its kept part as a vector; whether that counts; and what is reported
        of its models `"before"` and `"after"`.
    """
    if work.store_dir is not None:
        client = client._replace(kept=as_structure(client.kept, client.weights.trainable))
    trained = work.train(bound, local_training, client)
    after = ModelWeights(trained.trainable, client.weights.non_trainable)
    evaluated = {
        when: training_loop.evaluate(
            bound,
            weights=weights,
            data=client.data,
            quantities=report.evaluated(when),
            correct_fn=report.correct_fn,
            padded=local_training.compile_with_xla,
        )
        for when, weights in (("before", client.weights), ("after", after))
        if report.evaluated(when)
    }
    if not (trained.added or trained.row or work.store_dir):
        return trained, is_known, evaluated
    numbers = (trained.trainable, trained.kept, trained.added, evaluated)
    counts = is_known & (client.data.num_examples > 0) & is_all_finite(numbers)
    added = tf.nest.map_structure(lambda x: tf.where(counts, x, tf.zeros_like(x)), trained.added)
    kept = as_vector(trained.kept) if work.store_dir is not None else ()
    return trained._replace(kept=kept, added=added), counts, evaluated
