"""What WeiAvg's paper says of its figures (Dong et al. 2023): `claims.csv`.

The paper calls λ = 10 unstable late, and the weights of 0.0001 are almost FedAvg's: that λ above 0
is ahead in the end is asked of the others.
"""

from __future__ import annotations

from experiments.declaration import Metric
from experiments.papers.common import read_claims

CLAIMS = read_claims(
    "weiavg",
    __file__,
    {
        "correlation": Metric("correlation", "r of mean projection and label entropy"),
        "accuracy": Metric("test_weighted_average", "test accuracy in the last round, %"),
        "first_10_rounds": Metric(
            "mean_accuracy", "test accuracy, %, mean of the first 10 rounds", in_round=10
        ),
    },
)
