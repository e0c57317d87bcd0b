"""R² of a regression's outputs, as a Keras metric."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import tensorflow as tf


class R2Score(tf.keras.metrics.Metric):
    """The coefficient of determination `1 − Σ (y − ŷ)² / Σ (y − ȳ)²`, the mean over the outputs.

    It is not a number where it is not defined: for labels that are all equal, as a single one is.
    Outputs that are not finite have −∞. Keras' own metric has finite numbers in both cases, and
    sums in float32, which cancels for labels far from 0.
    """

    def __init__(self, name: str = "r2_score") -> None:
        """Begins with no example."""
        super().__init__(name, tf.float64)
        self._seen: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]] = []

    def update_state(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> None:
        """Adds labels and outputs, [batch, ...] of one size."""
        labels = np.asarray(y_true, np.float64)
        labels = labels.reshape(len(labels), -1)
        self._seen.append((labels, np.asarray(y_pred, np.float64).reshape(labels.shape)))

    def result(self) -> tf.Tensor:
        """Returns R² of the examples since the last reset, a float64 scalar; NaN if none came."""
        if not self._seen:
            return tf.constant(np.nan, tf.float64)
        labels, outputs = (np.concatenate(each) for each in zip(*self._seen))
        total = np.sum((labels - labels.mean(axis=0)) ** 2, axis=0)
        residual = np.sum((labels - outputs) ** 2, axis=0)
        residual = np.where(np.isfinite(residual), residual, np.inf)
        is_defined = (labels != labels[0]).any(axis=0)
        share = residual / np.where(is_defined, total, np.nan)
        return tf.constant(np.mean(1.0 - share), tf.float64)

    def reset_state(self) -> None:
        """Forgets all examples."""
        self._seen.clear()
