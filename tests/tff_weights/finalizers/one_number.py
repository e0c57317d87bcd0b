"""Models that are made of one number, so that a server update can be followed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow_federated as tff

TRAINABLE = tff.to_type((tff.TensorType(np.float32, [2]), np.float32))
WEIGHTS = tff.to_type(tff.learning.models.ModelWeights(TRAINABLE, (tff.TensorType(np.int32, [1]),)))


def update(number: float) -> Any:
    """Three trainable weights that are multiples of one number."""
    return np.array([number, -number], np.float32), np.float32(2 * number)


def weights(number: float) -> Any:
    """A model of them, and a weight that does not train."""
    return tff.learning.models.ModelWeights(update(number), (np.array([7], np.int32),))


def number_of(model: Any) -> float:
    """The number that `weights` made the model of."""
    vector, scalar = model.trainable
    np.testing.assert_allclose(vector, [vector[0], -vector[0]])
    # TensorFlow takes the smallest of numbers, those without a leading 1, for 0.
    np.testing.assert_allclose(scalar, 2 * vector[0], rtol=1e-6, atol=1e-30)
    np.testing.assert_array_equal(model.non_trainable[0], [7])
    return float(vector[0])
