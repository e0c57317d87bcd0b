"""One cohort weighed outside of TFF."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tff_weights import Weighed, Weighting


def weigh(weighting: Weighting, history: Any = None, **reports: Any) -> Weighed:
    """Weighs one cohort; each report is a list with one number a client."""
    tensors = {
        name: tf.constant(values, tf.int64 if name == "client_index" else tf.float32)
        for name, values in reports.items()
    }
    return weighting.weigh(weighting.initial_history() if history is None else history, tensors)


def weights_of(weighting: Weighting, **reports: Any) -> np.ndarray:
    """The weights of a first round."""
    return weigh(weighting, **reports).weights.numpy()
