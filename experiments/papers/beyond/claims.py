"""What no paper claims, and its controls ask, of weights alone and of being alone: `claims.csv`."""

from __future__ import annotations

from experiments.declaration import Metric
from experiments.papers.beyond.artifacts import ALONE
from experiments.papers.common import read_claims

CLAIMS = read_claims(
    "beyond",
    __file__,
    {
        "worst_20": Metric("test_worst_20", "worst 20 %"),
        "gain": Metric("mean_gain", "gain over alone, points", compared_with=ALONE),
        "worst_20_gain": Metric(
            "worst_20_gain", "gain of the 20 % that gain least, points", compared_with=ALONE
        ),
    },
)
