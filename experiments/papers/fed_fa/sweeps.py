"""FedFa's figures 8 and 9: the weights of accuracy and of participation, from one to the other."""

from __future__ import annotations

from experiments.declaration import Artifact, Metric, ParameterSweep, Scale
from experiments.papers.fed_fa.methods import (
    AVERAGE,
    FINAL_ACCURACY,
    LIGHT,
    ONE_DATA_SET,
    SCALES,
    VARIANCE,
    WORST_20,
    fed_fa,
)

_TENTHS = 10
_SHARES = tuple(
    fed_fa(tenths / _TENTHS, (_TENTHS - tenths) / _TENTHS) for tenths in range(_TENTHS + 1)
)
_VIEW = ParameterSweep("alpha", "α, the weight of the accuracy; β = 1 − α")
_METRICS = (
    Metric("test_weighted_average", "final accuracy %"),
    AVERAGE,
    VARIANCE,
    WORST_20,
)
_NOTES = (
    FINAL_ACCURACY,
    "The final accuracy is on the test examples of all clients, the average the mean of the "
    "clients' own.",
    "The paper's figure has no numbers but those of its Table 2, and no worst 20 %.",
)

SWEEPS = (
    Artifact(
        name="fedfa/fig8",
        title="α and β on synthetic(1, 1)",
        datasets=("synthetic_1_1",),
        variants=_SHARES,
        scales=SCALES,
        metrics=_METRICS,
        view=_VIEW,
        notes=(*_NOTES, ONE_DATA_SET),
    ),
    Artifact(
        name="fedfa/fig9",
        title="α and β on MNIST",
        datasets=("mnist",),
        variants=_SHARES,
        scales={"smoke": Scale(2, LIGHT), "short": SCALES["short"], "paper": SCALES["paper"]},
        metrics=_METRICS,
        view=_VIEW,
        notes=_NOTES,
    ),
)
