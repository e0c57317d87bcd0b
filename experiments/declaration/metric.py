"""What a metric is: one number of a finished run, by name."""

from __future__ import annotations

import dataclasses
from typing import Literal, get_args

# In the place of a variant: the one with the best average of its data set and seed.
BEST = "the best average"
Over = Literal["last round", "last tenth", "all rounds"]


@dataclasses.dataclass(frozen=True)
class Metric:
    """One number of a finished run.

    Attributes:
        key: A column of the evaluation, such as `test_average` or `train_loss`, or a name of
            `reporting.metrics.METRICS`.
        label: As tables and figures name it, with its unit.
        paper_column: Its column in the paper's CSV files, if there is one.
        parameter: What a named metric takes, such as the target of `rounds_to`.
        compared_with: The label of a variant, or `BEST`, if the metric also reads the run of that
            variant on the same data set with the same seed. In a claim's metric a `*` stands for
            what follows the first comma of the method's own label.
        in_round: The round that counts as the last one, counted from 1; the run's if it is `None`.
        over: The rounds whose mean it is, if it is a number of the evaluation: the last one, or the
            evaluated ones of the last tenth or of the whole training.
        smaller_is_better: Which of two methods is the better one by this number.
        read_with: The key of another metric, if this one says nothing where that metric has
            collapsed. A useless model treats all clients alike, which is not fairness.
        decimals: How many decimals a table shows of it, and of its mean over seeds.
        datasets: The artifact's data sets on which it is shown, such as those with its target; None
            for all.
    """

    key: str
    label: str
    paper_column: str | None = None
    parameter: float | None = None
    compared_with: str | None = None
    in_round: int | None = None
    over: Over = "last round"
    smaller_is_better: bool = False
    read_with: str | None = None
    decimals: int = 2
    datasets: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Checks which rounds it covers.

        Raises:
            ValueError: If `over` is unknown.
        """
        if self.over not in get_args(Over):
            raise ValueError(
                f"metric {self.key}: over must be one of {get_args(Over)}, got {self.over!r}"
            )

    def other(self, label: str) -> str | None:
        """Returns the label of the variant that it compares this one with, if any."""
        return self.compared_with and self.compared_with.replace("*", label.partition(", ")[2])

    def is_shown_of(self, dataset: str) -> bool:
        """Says whether it is shown on a data set of its artifact."""
        return self.datasets is None or dataset in self.datasets
