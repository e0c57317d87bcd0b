"""How much each way of weighing clients leans on the clients' rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.declaration import ParameterSweep, Scale, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS, VARIANCE
from experiments.papers.beyond.fairness import artifact
from experiments.papers.common import few_steps, scales

# FedFa's section 4.1: "for a fair comparison".
RATES = (0.01, 0.001, 0.0001)

_WEIGHTINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "n_i": ("fed_avg", {}),
    "uniform": ("fed_avg", {"weighting": "uniform"}),
    "q-FedAvg": ("q_fed_avg", {}),
    "FedNova": ("fed_nova", {}),
    "FedFa": ("fed_fa", {"server_momentum": 0.0}),
    "FedAdp": ("fed_adp", {}),
    "FedCav": ("fed_cav", {}),
    "WeiAvg (projection)": ("wei_avg", {}),
    "WeiAvg (entropy)": ("wei_avg", {"by": "entropy"}),
}
# The same local training for all, so that the weights alone differ.
_LOCAL_TRAINING = {"client_momentum": 0.0, "learning_rate_decay": 1.0}


def label(weighting: str, rate: float) -> str:
    """Names a weighting at a rate."""
    return f"{weighting} at {rate:g}"


SENSITIVITY = artifact(
    "sensitivity",
    "The weights of the clients at three rates",
    datasets=("synthetic_1_1", "mnist", "fashion_mnist_x_class"),
    variants=tuple(
        Variant(
            label(weighting, rate),
            algorithm,
            {**_LOCAL_TRAINING, **settings, "learning_rate": rate},
            group=weighting,
        )
        for weighting, (algorithm, settings) in _WEIGHTINGS.items()
        for rate in RATES
    ),
    on_datasets={"fashion_mnist_x_class": {"model": "image_logistic_regression"}},
    scales=scales(Scale(2, few_steps(2), datasets=("synthetic_1_1",)), 50, 200),
    metrics=(*FAIRNESS_METRICS[:2], VARIANCE),
    view=ParameterSweep("learning_rate", "rate of the clients", logarithmic=True),
)
