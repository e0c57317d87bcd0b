"""Per-client evaluation, and how fair its result is."""

from tff_weights.evaluation.fairness import (
    FairnessStatistics,
    client_statistics,
    fairness_statistics,
)
from tff_weights.evaluation.per_client import (
    PerClientEvaluation,
    build_own_model_evaluation,
    build_per_client_evaluation,
)

__all__ = [
    "FairnessStatistics",
    "PerClientEvaluation",
    "build_own_model_evaluation",
    "build_per_client_evaluation",
    "client_statistics",
    "fairness_statistics",
]
