"""FedFa's server update: momentum on the pseudo-gradient, every `b` rounds."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.checks import BELOW_ONE, POSITIVE, check_integer, check_number
from tff_weights.float_types import AnyFloatOptimizer
from tff_weights.structures import chosen, is_all_finite, zeros_like


def build_server_momentum_finalizer(
    model_weights_type: tff.Type,
    *,
    momentum: float,
    learning_rate: float = 1.0,
    every_rounds: int = 1,
) -> tff.learning.templates.FinalizerProcess:
    """Builds FedFa's server update (eq. 3–7).

    The aggregate is TFF's pseudo-gradient `w_t − w_agg`. A momentum round is a round
    `t = 0, 1, …` with `(t + 1) mod b = 0`; in it `m ← γ m + η (w_a − w_agg)` and
    `w_{t+1} = w_a − m`. `w_a` is the model after the last momentum round, or at first the initial
    model. In the other rounds `w_{t+1} = w_agg`. Decisions where the paper is silent or contradicts
    itself:

    * Sign: as printed (eq. 4 and 6) the server would move away from the clients' models, so the
      pseudo-gradient is `w_a − w_agg`. With `momentum = 0` the server takes `w_agg`.
    * Rate: eq. 5 multiplies by `η`, Algorithm 2 does not; `learning_rate = 1`.
    * Between momentum rounds the server takes `w_agg` as it is.

    With `every_rounds = 1` this is TFF's own finalizer with its momentum SGD. An aggregate that is
    not finite is not applied and changes no state, but it counts as a round.

    Args:
        model_weights_type: The type of the model's weights, not federated.
        momentum: `γ_s` in [0, 1).
        learning_rate: `η > 0`.
        every_rounds: `b ≥ 1`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_number("the server's momentum", momentum, BELOW_ONE)
    check_number("the server's learning_rate", learning_rate, POSITIVE)
    check_integer("every_rounds", every_rounds, least=1)
    optimizer = AnyFloatOptimizer(
        tff.learning.optimizers.build_sgdm(float(learning_rate), momentum=float(momentum) or None)
    )
    if every_rounds == 1:
        return tff.learning.templates.build_apply_optimizer_finalizer(optimizer, model_weights_type)
    return _build_momentum_every_rounds(optimizer, model_weights_type, every_rounds)


def _build_momentum_every_rounds(
    optimizer: tff.learning.optimizers.Optimizer,
    model_weights_type: tff.Type,
    every_rounds: int,
) -> tff.learning.templates.FinalizerProcess:
    trainable_type = model_weights_type.trainable

    @tff.tensorflow.computation
    def initial_state() -> Any:
        specs = tff.types.type_to_tf_tensor_specs(trainable_type)
        return collections.OrderedDict(
            round_number=np.int32(0),
            anchor=zeros_like(specs),
            optimizer=optimizer.initialize(specs),
        )

    state_type = initial_state.type_signature.result

    @tff.tensorflow.computation(state_type, trainable_type, trainable_type)
    def update_server(state: Any, trainable: Any, update: Any) -> Any:
        # The state is made before any model is known, so round 0 sets the first anchor.
        anchor = chosen(tf.equal(state["round_number"], 0), trainable, state["anchor"])
        aggregated = tf.nest.map_structure(tf.subtract, trainable, update)  # w_agg, eq. 3
        pseudo_gradient = tf.nest.map_structure(tf.subtract, anchor, aggregated)  # eq. 4
        optimizer_state, stepped = optimizer.next(  # eq. 5, 6
            state["optimizer"], anchor, pseudo_gradient
        )
        is_finite = is_all_finite(update)
        round_number = state["round_number"] + 1
        applies_momentum = is_finite & tf.equal(round_number % every_rounds, 0)  # eq. 7

        return collections.OrderedDict(
            state=collections.OrderedDict(
                round_number=round_number,
                anchor=chosen(applies_momentum, stepped, anchor),
                optimizer=chosen(applies_momentum, optimizer_state, state["optimizer"]),
            ),
            trainable=chosen(applies_momentum, stepped, chosen(is_finite, aggregated, trainable)),
            measurements=collections.OrderedDict(update_non_finite=tf.cast(~is_finite, tf.int32)),
        )

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_eval(initial_state, tff.SERVER)

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(model_weights_type, tff.SERVER),
        tff.FederatedType(trainable_type, tff.SERVER),
    )
    def next_fn(
        state: tff.Value, weights: tff.Value, update: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        updated = tff.federated_map(update_server, (state, weights.trainable, update))
        return tff.templates.MeasuredProcessOutput(
            updated["state"],
            tff.federated_zip(
                tff.learning.models.ModelWeights(updated["trainable"], weights.non_trainable)
            ),
            updated["measurements"],
        )

    return tff.learning.templates.FinalizerProcess(initialize, next_fn)
