"""What FedVeca's paper says of its table and figures (Luo et al., IEEE TPDS 2024): `claims.csv`.

The paper has FedVeca ahead of SCAFFOLD on CIFAR-10 alone (section V-B1). The premise of the theorem
is judged by the runs of 100 rounds, as the paper has them.
"""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric
from experiments.papers.common import read_claims

_LOSS = Metric("test_loss_x100", "test loss × 100", smaller_is_better=True)

CLAIMS = read_claims(
    "fedveca",
    __file__,
    {
        "loss": _LOSS,
        "loss_in_round_20": dataclasses.replace(
            _LOSS, label=f"{_LOSS.label} after 20 rounds", in_round=20
        ),
        "accuracy": Metric("test_average", "test accuracy %"),
        "accuracy_in_round_20": Metric(
            "test_average", "test accuracy % after 20 rounds", in_round=20
        ),
        "speed": Metric("mean_accuracy", "test accuracy %, mean of all rounds"),
        "falls": Metric("oscillation", "falls of accuracy, points a round", smaller_is_better=True),
        "premise": Metric("rounds_with_premise", "% of rounds with η τ_k L ≥ 1"),
        "steps_fluctuation": Metric(
            "steps_fluctuation",
            "deviation of τ_k over 50 rounds / of τ_i over clients",
            smaller_is_better=True,
            in_round=50,
        ),
        "apart": Metric(
            "apart", "distance of A_i / its range over clients 1–3", parameter=3.0, in_round=50
        ),
    },
)
