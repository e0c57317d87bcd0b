"""What FedAdp's paper says of its table and figures (Wu and Wang, IEEE TCCN 2021): `claims.csv`.

Beside the paper's targets stand our own as controls, since within the rounds of the short scale the
methods often miss the paper's. With three IID nodes and seven of one class neither reaches the
target on Fashion-MNIST in the paper, which compares their best accuracies.
"""

from __future__ import annotations

from experiments.declaration import Metric
from experiments.papers.common import read_claims, rounds_to
from experiments.papers.fed_adp.artifacts import BEST

CLAIMS = read_claims(
    "fedadp",
    __file__,
    {
        **{f"rounds_to_{target}": rounds_to(target) for target in (95, 90, 80, 70)},
        **{
            f"first_{rounds}_rounds": Metric(
                "mean_accuracy",
                f"test accuracy, %, mean of the first {rounds} rounds",
                in_round=rounds,
            )
            for rounds in (10, 50)
        },
        "best_accuracy": BEST,
        "accuracy": Metric("test_weighted_average", "test accuracy, %"),
        "train_loss": Metric("train_loss", "training loss", smaller_is_better=True),
        "angle_correlation": Metric(
            "angle_correlation",
            "r of mean angle and label entropy, 15 rounds",
            smaller_is_better=True,
            in_round=15,
        ),
        "divergence": Metric(
            "mean_gradient_divergence",
            "divergence of local gradients, mean over the rounds",
            smaller_is_better=True,
        ),
    },
)
