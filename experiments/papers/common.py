"""What the papers have in common: algorithms, sizes, curves and metrics."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from experiments.declaration import SCALES, Algorithm, Curve, Metric, Scale

ACCURACY_CURVE = Curve("evaluation/test_weighted_average", "test accuracy, %")
TRAINING_LOSS_CURVE = Curve("evaluation/train_loss", "training loss")


def of_library(name: str, *protocol: Any, module: str = "", **parts: Any) -> Algorithm:
    """Returns an algorithm of `tff_weights.algorithms`, by default of the module of its name."""
    return Algorithm(f"tff_weights.algorithms.{module or name}:build_{name}", *protocol, **parts)


# Of a builder that adds one weighting to local SGD.
of_weighting = functools.partial(of_library, module="weighted")


def scales(smoke: int | Scale, short: int | Scale, paper: int | Scale) -> Mapping[str, Scale]:
    """Returns an artifact's scales; a number stands for the rounds."""
    sizes = (smoke, short, paper)
    return {
        name: Scale(size) if isinstance(size, int) else size for name, size in zip(SCALES, sizes)
    }


def few_steps(number: int, *, clients: int | None = None) -> dict[str, Any]:
    """Returns settings of a quick run: local steps a round, and the clients that are evaluated."""
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
