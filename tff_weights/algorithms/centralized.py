"""Centralized SGD as a learning process: a baseline for federated algorithms."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.plain import uniform_weighting


def build_centralized_sgd(
    model: Model, *, local_training: LocalTraining
) -> tff.learning.templates.LearningProcess:
    """Builds SGD on data that lie in one place (the baseline of FedVeca, section V-A).

    It is the process of one client that holds all data: give it a cohort of one. For a fair
    comparison `local_training.steps` should be the number of steps that all clients together take
    in one round of the other algorithm.

    Args:
        model: See `compose_algorithm`.
        local_training: The solver's parameters.
    """
    return compose_algorithm(model, local_training=local_training, weighting=uniform_weighting())
