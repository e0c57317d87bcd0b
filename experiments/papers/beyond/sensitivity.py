"""How much each way of weighing clients leans on the clients' rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.declaration import Artifact, Metric, ParameterSweep, Scale, Variant
from experiments.declaration.fairness import VARIANCE

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


SENSITIVITY = Artifact(
    name="beyond/sensitivity",
    title="The weights of the clients at three rates",
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
    scales={
        "smoke": Scale(2, {"epochs": None, "steps": 2}, datasets=("synthetic_1_1",)),
        "short": Scale(50),
        "paper": Scale(200),
    },
    metrics=(
        Metric("test_average", "average %"),
        Metric("test_worst_20", "worst 20 %"),
        VARIANCE,
    ),
    view=ParameterSweep("learning_rate", "rate of the clients", logarithmic=True),
    notes=(
        "Per-client test accuracy of the global model after the last round, over all clients.",
        "All have plain SGD of the data set's epochs and batches (FedNova 5 epochs on FedFa's "
        "data), a rate that does not decay, and no momentum on either side: FedFa is its weights "
        "alone.",
        "The models are linear, on Fashion-MNIST logistic regression in the place of FedAdp's CNN. "
        "There all clients have as many images, so that by examples is equal, and all take part.",
        "FedVeca is left out, since its server sets the clients' steps.",
        "The same rates on all data sets, the three at which FedFa's paper compares; a data set's "
        "own are 0.01, 0.03 and 0.01.",
    ),
)
