"""The float types of models, and the types in which sums and optimizers compute."""

from __future__ import annotations

import functools
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff


def computed_in(structure: Any) -> tf.DType:
    """Returns the type of sums over a model's numbers: float64 if any number is, else float32.

    Half precision would round them off: float16 ends at 65,504, and bfloat16 has three digits.

    Args:
        structure: Tensors or arrays, or their specs, such as trainable weights.
    """
    dtypes = {tf.as_dtype(tensor.dtype) for tensor in tf.nest.flatten(structure)}
    return tf.float64 if tf.float64 in dtypes else tf.float32


def widened(structure: Any) -> Any:
    """Casts half precision to float32; other floats stay as they are.

    In half precision a sum of hundreds of numbers stops growing: bfloat16 has `256 + 1 = 256`.

    Args:
        structure: Tensors of floats.
    """
    return tf.nest.map_structure(lambda x: tf.cast(x, computed_in(x)), structure)


def is_structure_of_floats(value_type: tff.Type) -> bool:
    """Returns whether all leaves are floats; TFF's own function does not count bfloat16."""
    if isinstance(value_type, tff.StructType):
        return all(map(is_structure_of_floats, value_type.children()))
    return isinstance(value_type, tff.TensorType) and tf.as_dtype(value_type.dtype).is_floating


class AnyFloatOptimizer(tff.learning.optimizers.Optimizer):
    """One of TFF's optimizers for weights of any float type.

    TFF's own multiply weights by rates of float32, which fails for other types, and in half
    precision most have an `ε` of 0. Weights that are not float32 are therefore cast to
    `computed_in`, and back after the step. The state has that type, too; for float32 it is the TFF
    optimizer's.
    """

    def __init__(self, optimizer: tff.learning.optimizers.Optimizer):
        """Wraps an optimizer."""
        self._optimizer = optimizer

    def initialize(self, specs: Any) -> Any:
        """Returns the state; this and the other methods are those of TFF's `Optimizer`."""
        dtype = computed_in(specs)
        state = self._optimizer.initialize(
            tf.nest.map_structure(lambda spec: tf.TensorSpec(spec.shape, dtype), specs)
        )
        return state if dtype == tf.float32 else _cast_floats(state, dtype)

    def next(self, state: Any, weights: Any, gradients: Any) -> tuple[Any, Any]:
        """Takes a step.

        Raises:
            TypeError: If the optimizer always computes in float32, as TFF's Yogi does.
        """
        dtype = computed_in(weights)
        cast = functools.partial(tf.nest.map_structure, lambda x: tf.cast(x, dtype))
        try:
            new_state, updated = self._optimizer.next(state, cast(weights), cast(gradients))
        except (TypeError, tf.errors.InvalidArgumentError) as error:
            if dtype == tf.float32:
                raise
            raise TypeError(
                "optimizer computes in float32 alone, the model's weights are float64: take "
                f"another, such as Adam; {str(error).splitlines()[0]}"
            ) from error
        if dtype != tf.float32:  # A schedule's rates are float32.
            new_state = _cast_floats(new_state, dtype)
        return new_state, tf.nest.map_structure(
            lambda new, old: tf.cast(new, old.dtype), updated, weights
        )

    def get_hparams(self, state: Any) -> Any:
        """Returns the hyperparameters in a state."""
        return self._optimizer.get_hparams(state)

    def set_hparams(self, state: Any, hparams: Any) -> Any:
        """Returns a state with other hyperparameters."""
        return self._optimizer.set_hparams(state, hparams)


def _cast_floats(structure: Any, dtype: tf.DType) -> Any:
    tensors = tf.nest.map_structure(tf.convert_to_tensor, structure)
    return tf.nest.map_structure(lambda x: tf.cast(x, dtype) if x.dtype.is_floating else x, tensors)
