"""What the artifacts of several papers have in common: their sizes, curves and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.declaration import SCALES, Curve, Metric, Scale

ACCURACY_CURVE = Curve("evaluation/test_weighted_average", "test accuracy, %")
TRAINING_LOSS_CURVE = Curve("evaluation/train_loss", "training loss")

STAND_IN = (
    "Without EMNIST, FEMNIST's letters come from a stand-in, and a run's environment.json names "
    "the file. Numbers on a stand-in are not numbers on FEMNIST."
)


def scales(smoke: int | Scale, short: int | Scale, paper: int | Scale) -> Mapping[str, Scale]:
    """Returns an artifact's scales; a number stands for the rounds."""
    sizes = (smoke, short, paper)
    return {
        name: Scale(size) if isinstance(size, int) else size for name, size in zip(SCALES, sizes)
    }


def few_steps(number: int, *, clients: int | None = None) -> dict[str, Any]:
    """Returns settings that make a run quick.

    Args:
        number: How many local steps a client takes in a round.
        clients: How many clients are evaluated; None for all.
    """
    evaluated = {} if clients is None else {"clients_per_evaluation": clients}
    return {"epochs": None, "steps": number, **evaluated}


def rounds_to(target: int, paper_column: str | None = None) -> Metric:
    """Returns the metric of the rounds until the pooled test accuracy is so many percent."""
    return Metric(
        "rounds_to",
        f"rounds to {target} %",
        paper_column,
        parameter=float(target),
        smaller_is_better=True,
        decimals=1,
    )
