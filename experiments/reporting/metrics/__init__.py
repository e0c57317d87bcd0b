"""Numbers of finished runs by name, beyond those of the evaluation."""

from __future__ import annotations

from experiments.reporting.metrics.measure import METRICS, measure, not_reached_bound

__all__ = ["METRICS", "measure", "not_reached_bound"]
