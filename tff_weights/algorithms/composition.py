"""Composes client work, weighting, inner factory and server update into a process."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow_federated as tff

from tff_weights.aggregators.weighting_factory import WeightingFactory
from tff_weights.checks import POSITIVE, check_number, check_type
from tff_weights.client_work.carried_momentum import CarriedMomentum
from tff_weights.client_work.client_work import checked_local_model
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import LocalWork
from tff_weights.client_work.process import PLAIN, build_client_work
from tff_weights.distributors.movement import build_movement_distributor
from tff_weights.finalizers.judged import build_judged_finalizer
from tff_weights.weightings.weighting import Weighting

ServerUpdate = Callable[[tff.Type], tff.learning.templates.FinalizerProcess]
# Called with the client work, and with the weighting as the keyword `weighting`.
ClientWorkWrapper = Callable[..., tff.learning.templates.ClientWorkProcess]


def apply_update(
    model_weights_type: tff.Type, *, learning_rate: float = 1.0
) -> tff.learning.templates.FinalizerProcess:
    """The server update of most algorithms: `w_{t+1} = w_t − η_g Σ_i weight_i (w_t − w_i)`.

    Args:
        model_weights_type: The type of the model's weights, not federated.
        learning_rate: `η_g > 0`.

    Raises:
        ValueError: If `learning_rate` is not positive and finite.
    """
    check_number("learning_rate", learning_rate, POSITIVE)
    return tff.learning.templates.build_apply_optimizer_finalizer(
        tff.learning.optimizers.build_sgdm(learning_rate), model_weights_type
    )


def compose_algorithm(
    model: Model,
    *,
    local_training: LocalTraining,
    weighting: Weighting,
    work: LocalWork = PLAIN,
    server_update: ServerUpdate = apply_update,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    correct_fn: CorrectFn | None = None,
    wrap_client_work: ClientWorkWrapper | None = None,
) -> tff.learning.templates.LearningProcess:
    """Composes any weighting with any local training, inner sum and server update.

    The process takes one client's data as `tff_weights.client_data` makes it.

    Args:
        model: A `tff.learning.models.FunctionalModel`, or a function without arguments that
            returns a new `tff.learning.models.VariableModel`.
        local_training: What a client does with its data in one round.
        weighting: How the server weighs the clients. If it gives verdicts, the server update is put
            inside `build_judged_finalizer`.
        work: What clients do in addition to plain local training, or instead of it.
        server_update: From the type of the model's weights to the finalizer.
        inner_factory: Adds up the weighted updates, and what clients send besides; by default a
            plain sum. One that divides by a number of clients, as
            `DifferentiallyPrivateFactory.gaussian_fixed` does, must divide by 1. A weighting that
            needs the mean update runs it twice a round.
        correct_fn: Which predictions are right, for the weightings that ask for an accuracy:
            `(predictions, labels) → [batch, ...]`, 1.0 or true where right. It may return a pair,
            with the weights of the entries, see `correct_per_example`. By default loss and shapes
            decide, see `label_format`. In a builder without this argument no client reports an
            accuracy.
        wrap_client_work: `(client_work, *, weighting) → client_work`; changes what clients do, as
            `with_model_replacement` does.

    Returns:
        A learning process. Its metrics hold the measurements of `WeightingFactory` under
        `aggregator`. `set_model_weights` is for a state of `initialize`. A later state keeps the
        server's momentum, the weighting's history and the model to restore from before.

    Raises:
        TypeError: If one of the first three is of another type.
        ValueError: If `weighting` or `work` does not allow this local training, or this model
            cannot report what the weighting asks for.
    """
    for name, value, wanted in (
        ("local_training", local_training, LocalTraining),
        ("weighting", weighting, Weighting),
        ("work", work, LocalWork),
    ):
        check_type(name, value, wanted)
    wrapped = checked_local_model(model, local_training)
    client_work = build_client_work(
        wrapped,
        local_training,
        # What the weighting needs, for the metrics the clients' indices, and the numbers of
        # examples: who has none is left out.
        report_fields=tuple(
            dict.fromkeys(("client_index", "num_examples", *weighting.report_fields))
        ),
        work=work,
        inner_factory=inner_factory,
        correct_fn=correct_fn,
    )
    _check_training(weighting, local_training)
    _check_steps(weighting, local_training, work)
    if wrap_client_work is not None:
        client_work = wrap_client_work(client_work, weighting=weighting)
    distribute = (
        build_movement_distributor
        if work.needs_movement
        else tff.learning.templates.build_broadcast_process
    )
    weights_type = wrapped.initial_weights_computation.type_signature.result
    client_result_type = client_work.next.type_signature.result.result.member
    finalizer = (
        build_judged_finalizer(weights_type, server_update=server_update)
        if weighting.gives_verdict
        else server_update(weights_type)
    )
    return tff.learning.templates.compose_learning_process(
        wrapped.initial_weights_computation,
        distribute(weights_type),
        client_work,
        WeightingFactory(weighting, inner_factory).create(
            client_result_type.update, client_result_type.update_weight
        ),
        finalizer,
    )


def _check_training(weighting: Weighting, local_training: LocalTraining) -> None:
    for name, expected in weighting.expected_training.items():
        given = getattr(local_training, name)
        if given != expected:
            raise ValueError(
                f"weighting {weighting.name!r} was built for clients with {name}={expected!r}, "
                f"local_training has {name}={given!r}: both must be the same"
            )


def _check_steps(weighting: Weighting, local_training: LocalTraining, work: LocalWork) -> None:
    """Weights that use the learning rate treat updates as gradients times that rate."""
    if not weighting.divides_by_rate:
        return
    differs = local_training.differs_from_sgd
    if differs is not None:
        raise ValueError(
            f"weighting {weighting.name!r} computes gradients from updates and the learning rate, "
            f"which are those of SGD at one rate a round: local_training.{differs} must be None"
        )
    if isinstance(work, CarriedMomentum):
        raise ValueError(
            f"weighting {weighting.name!r} computes gradients from updates and the learning rate, "
            "which a momentum of earlier rounds changes: work must not be CarriedMomentum"
        )
