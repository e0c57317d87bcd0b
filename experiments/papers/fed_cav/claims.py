"""What FedCav's paper says (Zeng et al., ICPP 2021), as far as it was available: `claims.csv`."""

from __future__ import annotations

from experiments.declaration import Metric
from experiments.papers.common import read_claims, rounds_to

CLAIMS = read_claims(
    "fedcav",
    __file__,
    {
        "rounds_to_90": rounds_to(90),
        "late_accuracy": Metric(
            "late_accuracy", "test accuracy %, mean of the last tenth", parameter=10.0
        ),
        "average_in_round_22": Metric("test_average", "average % in round 22", in_round=22),
        **{
            f"gain{suffix}": Metric(
                "average_gained",
                "points of the average in round 22 over the run without an attack",
                in_round=22,
                compared_with=f"FedCav, audit, no attack{suffix}",
            )
            for suffix in ("", ", own history")
        },
    },
)
