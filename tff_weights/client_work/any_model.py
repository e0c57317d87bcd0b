"""Wraps a model of any kind that TFF's own builders accept."""

from __future__ import annotations

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.functional_model import LocalFunctionalModel
from tff_weights.client_work.local_loss import LocalLoss
from tff_weights.client_work.local_model import LocalModel, Model
from tff_weights.client_work.variable_model import LocalVariableModel, advice


def local_model(model: Model, local_loss: LocalLoss | None = None) -> LocalModel:
    """Wraps a model of any kind that TFF's own builders accept.

    Args:
        model: A `tff.learning.models.FunctionalModel`, or a function without arguments that
            returns a new `tff.learning.models.VariableModel`.
        local_loss: See `LocalTraining`.

    Raises:
        TypeError: If `model` is neither; for a Keras model the message shows the right call.
        ValueError: If its loss is Keras' with `reduction="sum"`, which grows with the batch.
            Another loss that adds up its examples is refused where the model is first traced. That
            of a `VariableModel` of your own cannot be seen: it must return a mean.
    """
    if isinstance(model, tff.learning.models.FunctionalModel):
        return LocalFunctionalModel(model, local_loss)
    if callable(model) and not isinstance(model, tf.keras.Model):
        return LocalVariableModel(model, local_loss)
    raise TypeError(
        "model must be a tff.learning.models.FunctionalModel or a function that returns a "
        f"tff.learning.models.VariableModel, got {type(model).__name__}{advice(model)}"
    )
