"""Multinomial logistic regression in NumPy; its weights are one flat vector."""

from __future__ import annotations

import numpy as np

from reference.problem import NUM_CLASSES, NUM_FEATURES, Examples


def logits(vector: np.ndarray, x: np.ndarray) -> np.ndarray:
    split = NUM_FEATURES * NUM_CLASSES
    kernel = vector[:split].reshape(NUM_FEATURES, NUM_CLASSES)
    return x.astype(np.float64) @ kernel + vector[split:]


def probabilities(vector: np.ndarray, x: np.ndarray) -> np.ndarray:
    scores = logits(vector, x)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def loss(vector: np.ndarray, examples: Examples) -> float:
    """The mean cross entropy."""
    p = probabilities(vector, examples.x)
    return float(-np.mean(np.log(p[np.arange(len(examples.y)), examples.y])))


def accuracy(vector: np.ndarray, examples: Examples) -> float:
    return float(np.mean(np.argmax(logits(vector, examples.x), axis=1) == examples.y))


def gradient(vector: np.ndarray, examples: Examples) -> np.ndarray:
    """The gradient of the mean cross entropy, (Xᵀ (P − Y) / n, mean of P − Y)."""
    residuals = probabilities(vector, examples.x)
    residuals[np.arange(len(examples.y)), examples.y] -= 1.0
    residuals /= len(examples.y)
    kernel = examples.x.astype(np.float64).T @ residuals
    return np.concatenate([np.ravel(kernel), residuals.sum(axis=0)])
