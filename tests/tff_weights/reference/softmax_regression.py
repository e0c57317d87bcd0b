"""Multinomial logistic regression in NumPy; its weights are one flat vector."""

import numpy as np

from reference.problem import NUM_CLASSES, NUM_FEATURES


def logits(vector, x):
    split = NUM_FEATURES * NUM_CLASSES
    kernel = vector[:split].reshape(NUM_FEATURES, NUM_CLASSES)
    return x.astype(np.float64) @ kernel + vector[split:]


def probabilities(vector, x):
    scores = logits(vector, x)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def losses(vector, examples):
    """The cross entropy of each example."""
    return -np.log(probabilities(vector, examples.x)[np.arange(len(examples.y)), examples.y])


def loss(vector, examples):
    """The mean cross entropy."""
    return float(np.mean(losses(vector, examples)))


def accuracy(vector, examples):
    return float(np.mean(np.argmax(logits(vector, examples.x), axis=1) == examples.y))


def gradient(vector, examples, weights=None):
    """The gradient of the mean cross entropy, or of a weighted sum, (Xᵀ W (P − Y), Σ W (P − Y))."""
    weights = np.full(len(examples.y), 1 / len(examples.y)) if weights is None else weights
    residuals = probabilities(vector, examples.x)
    residuals[np.arange(len(examples.y)), examples.y] -= 1.0
    residuals *= weights[:, np.newaxis]
    kernel = examples.x.astype(np.float64).T @ residuals
    return np.concatenate([np.ravel(kernel), residuals.sum(axis=0)])
