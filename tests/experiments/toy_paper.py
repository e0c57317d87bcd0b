"""A sixth paper: its own algorithm, recipe, artifacts and claim, in a folder outside the package.

Its algorithm has a report field of its own. Tests copy it to where a user would have it; nothing
here imports it.
"""

from __future__ import annotations

import tensorflow as tf
import tensorflow_federated as tff

import tff_weights
from experiments.declaration import (
    Algorithm,
    Artifact,
    Claim,
    Metric,
    Paper,
    Recipe,
    Scale,
    Variant,
)


def _power_weighting(power: float) -> tff_weights.Weighting:
    """Weighs by the number of examples to a power."""

    def weigh(history, reports):
        powers = tf.pow(reports["size"], power)
        return tff_weights.Weighed(powers / tf.reduce_sum(powers), history)

    size = tff_weights.ReportField("size", lambda run: run.data.num_examples)
    return tff_weights.Weighting(name="power", report_fields=(size,), weigh=weigh)


def build_toy(
    model, *, local_training: tff_weights.LocalTraining, power: float
) -> tff.learning.templates.LearningProcess:
    """Builds FedAvg with another weighting."""
    return tff_weights.compose_algorithm(
        model, local_training=local_training, weighting=_power_weighting(power)
    )


_SMALL = Scale(1, settings={"epochs": None, "steps": 2, "num_clients": 4, "clients_per_round": 2})
_ACCURACY = Metric("test_average", "average %")
_TOY = Variant("Toy", "toy")
_SQUARED = Variant("Toy, squared", "toy", {"power": 2.0})
_TABLE = Artifact(
    name="toy/table",
    title="The toy beside its square",
    datasets=("synthetic_1_1",),
    variants=(_TOY, _SQUARED),
    scales={"smoke": _SMALL, "short": _SMALL, "paper": _SMALL},
    metrics=(_ACCURACY,),
)

PAPER = Paper(
    name="toy",
    title="Toy",
    citation="Nobody, Nowhere 2000",
    algorithms={"toy": Algorithm(build_toy)},
    recipes=(
        Recipe({"learning_rate": 0.05, "power": 0.5}, source="Section 2", algorithms=("toy",)),
    ),
    artifacts=(
        _TABLE,
        Artifact(
            name="toy/other",
            title="The toy alone",
            datasets=_TABLE.datasets,
            variants=(_TOY,),
            scales=_TABLE.scales,
            metrics=(_ACCURACY,),
        ),
    ),
    claims=(
        Claim(
            name="toy/better",
            statement="The toy is better than its square.",
            source="Abstract",
            artifact="toy/table",
            metric=_ACCURACY,
            better="Toy",
            worse="Toy, squared",
        ),
    ),
)
