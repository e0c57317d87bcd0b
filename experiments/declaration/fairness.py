"""The fairness table's metrics, and what a reader must know of them."""

from __future__ import annotations

from experiments.declaration.metric import Metric

# Without accuracy all clients fare alike, which is not fairness.
VARIANCE = Metric("test_variance", "variance", smaller_is_better=True, read_with="test_average")
FAIRNESS_METRICS = (
    Metric("test_average", "average %"),
    Metric("test_worst_20", "worst 20 %"),
    Metric("test_best_20", "best 20 %"),
    VARIANCE,
)
# For data sets whose labels are numbers.
REGRESSION_METRICS = tuple(
    Metric(
        f"test_{name}_{statistic}",
        f"{label}, {of_clients}",
        smaller_is_better=smaller_is_better or statistic == "variance",
        decimals=4,
        read_with="test_r2_score_average" if statistic == "variance" else None,
    )
    for name, label, smaller_is_better in (
        ("loss", "loss", True),
        ("mean_absolute_error", "MAE", True),
        ("r2_score", "R²", False),
    )
    for statistic, of_clients in (
        ("average", "average"),
        ("worst_20", "worst 20 %"),
        ("best_20", "best 20 %"),
        ("variance", "variance"),
    )
)
FAIRNESS_NOTE = "Per-client test accuracy after the last round, over all clients."
REGRESSION_NOTE = (
    "Loss, mean absolute error (MAE) and R² of each client's test examples after the last round, "
    "over all clients. The worst 20 % have the largest errors and the smallest R²."
)
ALONE_NOTES = (
    "Alone: every client trains a model of its own, on its own data, from the same initial "
    "weights, by FedAvg's local training. In R rounds with cohorts of K of N clients each trains "
    "R K / N times, its expected share of a federated run, rounded up; nothing is sent. Its model "
    "is tested on its own test examples.",
    "A gain is a client's test accuracy minus its accuracy when it trains alone with the same "
    "seed, in percentage points. Better off are the clients with a gain above 0, worse off those "
    "with one below. The worst 20 % are those that gain least.",
)


def gain_metrics(alone: str) -> tuple[Metric, ...]:
    """Returns the metrics that say who gains by taking part.

    Args:
        alone: The label of the variant whose clients train alone.
    """
    return (
        Metric("share_better", "better off %", compared_with=alone),
        Metric("share_worse", "worse off %", compared_with=alone, smaller_is_better=True),
        Metric("mean_gain", "gain, points", compared_with=alone),
        Metric("worst_20_gain", "worst 20 % of the gains", compared_with=alone),
    )
