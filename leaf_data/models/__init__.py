"""The models of the benchmark tasks, as `tff.learning.models.FunctionalModel`."""

from leaf_data.models.logistic_regression import logistic_regression

__all__ = ["logistic_regression"]
