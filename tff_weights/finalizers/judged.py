"""A server update that a weighting's verdict can stop or take back."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.structures import chosen, is_all_finite
from tff_weights.weightings.weighting import Verdict


def build_judged_finalizer(
    model_weights_type: tff.Type,
    *,
    server_update: Callable[[tff.Type], tff.learning.templates.FinalizerProcess],
) -> tff.learning.templates.FinalizerProcess:
    """Builds a finalizer of `<update=V, verdict=int32>` around one of `V`.

    By the verdict (see `Verdict`) it applies the update, if it is finite; keeps `w_t`; or restores
    `w_{t−1}`, the model before the last update that was applied. A model that was kept or restored
    becomes its own predecessor. So restoring twice in a row goes back only once. The state of the
    inner server update advances, stays, or goes back together with the model.

    Args:
        model_weights_type: The type of the model's weights, not federated.
        server_update: From that type to the finalizer that applies an update.
    """
    inner = server_update(model_weights_type)
    trainable_type = model_weights_type.trainable
    inner_state_type = inner.initialize.type_signature.result.member
    zeros = tf.nest.map_structure(
        lambda spec: np.zeros(spec.shape, spec.dtype.as_numpy_dtype),
        tff.types.type_to_tf_tensor_specs(trainable_type),
    )
    state_type = tff.to_type(
        collections.OrderedDict(
            inner=inner_state_type,
            has_previous=np.bool_,
            previous=collections.OrderedDict(inner=inner_state_type, trainable=trainable_type),
        )
    )

    judged_type = tff.to_type(collections.OrderedDict(update=trainable_type, verdict=np.int32))

    @tff.tensorflow.computation(
        state_type, trainable_type, inner_state_type, trainable_type, judged_type
    )
    def judge(
        state: Any, trainable: Any, applied_inner: Any, applied: Any, judged_update: Any
    ) -> Any:
        verdict = judged_update["verdict"]
        current = collections.OrderedDict(inner=state["inner"], trainable=trainable)
        is_applied = tf.equal(verdict, Verdict.APPLY.value)
        is_refused = is_applied & ~is_all_finite(judged_update["update"])  # By the server update.
        goes_back = tf.equal(verdict, Verdict.RESTORE_PREVIOUS.value) & state["has_previous"]

        advanced = collections.OrderedDict(inner=applied_inner, trainable=applied)
        following = chosen(is_applied, advanced, chosen(goes_back, state["previous"], current))
        return collections.OrderedDict(
            state=collections.OrderedDict(
                inner=following["inner"],
                has_previous=tf.where(is_refused, state["has_previous"], is_applied),
                previous=chosen(is_refused, state["previous"], current),
            ),
            trainable=following["trainable"],
            measurements=collections.OrderedDict(verdict=verdict),
        )

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_zip(
            collections.OrderedDict(
                inner=inner.initialize(),
                has_previous=tff.federated_value(False, tff.SERVER),
                previous=collections.OrderedDict(
                    inner=inner.initialize(),
                    trainable=tff.federated_value(zeros, tff.SERVER),
                ),
            )
        )

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(model_weights_type, tff.SERVER),
        tff.FederatedType(judged_type, tff.SERVER),
    )
    def next_fn(
        state: tff.Value, weights: tff.Value, judged_update: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        output = inner.next(state["inner"], weights, judged_update["update"])
        judged = tff.federated_map(
            judge,
            (
                state,
                weights.trainable,
                output.state,
                output.result.trainable,
                judged_update,
            ),
        )
        return tff.templates.MeasuredProcessOutput(
            judged["state"],
            tff.federated_zip(
                tff.learning.models.ModelWeights(judged["trainable"], weights.non_trainable)
            ),
            tff.federated_zip(
                collections.OrderedDict(inner=output.measurements, judge=judged["measurements"])
            ),
        )

    return tff.learning.templates.FinalizerProcess(initialize, next_fn)
