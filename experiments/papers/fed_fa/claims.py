"""What FedFa's paper says of its tables and figures, and what its controls ask: `claims.csv`.

On IID data the paper has FedFa behind FedAvg, and says so. The controls also ask what uniform
weights do by themselves, at the same rate and without momenta.
"""

from __future__ import annotations

from experiments.declaration import Metric
from experiments.papers.common import read_claims, rounds_to
from experiments.papers.fed_fa.methods import FAIRNESS

CLAIMS = read_claims(
    "fedfa",
    __file__,
    {
        **{metric.key: metric for metric in FAIRNESS},
        "train_loss": Metric("train_loss", "training loss", smaller_is_better=True),
        "falls": Metric("oscillation", "falls of accuracy, points a round", smaller_is_better=True),
        "speed": Metric("mean_accuracy", "test accuracy %, mean of all rounds"),
        "rounds_to_70": rounds_to(70),
        "megabytes_to_70": Metric(
            "paper_megabytes_to", "MB to 70 %, paper's way", parameter=70.0, smaller_is_better=True
        ),
    },
)
