"""Federated learning by choosing the weights of the clients, on TensorFlow Federated.

Each algorithm is built as a `tff.learning.templates.LearningProcess`; `WeightingFactory` puts any
`Weighting` into a process of one's own.
"""

from tff_weights.aggregators.weighting_factory import WeightingFactory
from tff_weights.algorithms.composition import apply_update, compose_algorithm
from tff_weights.algorithms.fed_avg import build_fed_avg
from tff_weights.algorithms.fed_fa import build_fed_fa, build_fed_fa_mo
from tff_weights.algorithms.fed_prox import build_fed_prox
from tff_weights.algorithms.q_fed_avg import build_q_fed_avg
from tff_weights.client_work.client_work import build_client_work, client_data
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.training_loop import sparse_categorical_correct
from tff_weights.evaluation.fairness import FairnessStatistics, fairness_statistics
from tff_weights.evaluation.per_client import PerClientEvaluation, build_per_client_evaluation
from tff_weights.finalizers.server_momentum import build_server_momentum_finalizer
from tff_weights.weightings.fed_fa import fed_fa_weighting
from tff_weights.weightings.plain import num_examples_weighting, uniform_weighting
from tff_weights.weightings.q_fair import q_fair_weighting
from tff_weights.weightings.weighting import Weighed, Weighting

__all__ = [
    "FairnessStatistics",
    "LocalTraining",
    "PerClientEvaluation",
    "Weighed",
    "Weighting",
    "WeightingFactory",
    "apply_update",
    "build_client_work",
    "build_fed_avg",
    "build_fed_fa",
    "build_fed_fa_mo",
    "build_fed_prox",
    "build_per_client_evaluation",
    "build_q_fed_avg",
    "build_server_momentum_finalizer",
    "client_data",
    "compose_algorithm",
    "fairness_statistics",
    "fed_fa_weighting",
    "num_examples_weighting",
    "q_fair_weighting",
    "sparse_categorical_correct",
    "uniform_weighting",
]
