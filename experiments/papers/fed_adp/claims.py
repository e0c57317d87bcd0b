"""What FedAdp's paper says of its table and figures (Wu and Wang, IEEE TCCN 2021)."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Claim, Metric
from experiments.papers.fed_adp.artifacts import MIXES, label

_TARGETS = {"mnist": 95, "fashion_mnist": 80}


def _rounds_to(target: int) -> Metric:
    return Metric(
        "rounds_to",
        f"rounds to {target} %",
        parameter=float(target),
        smaller_is_better=True,
    )


_SAVED = Metric("rounds_saved", "% fewer rounds to 95 % than FedAvg", parameter=95.0)
_FIVE_ONE, _FIVE_TWO = (5, 5, 1), (5, 5, 2)

CLAIMS = (
    *(
        Claim(
            name=f"fedadp/faster_{images}_{mix[0]}_{mix[1]}_{mix[2]}",
            statement=f"With {mix[0]} IID and {mix[1]} nodes of {mix[2]} "
            f"{'class' if mix[2] == 1 else 'classes'} FedAdp takes fewer rounds than FedAvg to "
            f"{target} %.",
            source="Table I",
            artifact="fedadp/table1",
            metric=_rounds_to(target),
            better=label("FedAdp", mix),
            worse=label("FedAvg", mix),
            datasets=(f"{images}_x_class",),
        )
        for images, target in _TARGETS.items()
        for mix in MIXES
    ),
    Claim(
        name="fedadp/more_skew",
        statement="FedAdp saves a larger share of FedAvg's rounds with one class per non-IID node "
        "than with two.",
        source="Section V-A: by up to 54.1 % and 43.2 %",
        artifact="fedadp/table1",
        metric=dataclasses.replace(_SAVED, compared_with=label("FedAvg", _FIVE_ONE)),
        better=label("FedAdp", _FIVE_ONE),
        worse=label("FedAdp", _FIVE_TWO),
        worse_metric=dataclasses.replace(_SAVED, compared_with=label("FedAvg", _FIVE_TWO)),
        datasets=("mnist_x_class",),
    ),
    *(
        Claim(
            name=f"fedadp/ahead_mlr_{mix[0]}_{mix[1]}_{mix[2]}",
            statement=f"With {mix[0]} IID and {mix[1]} nodes of {mix[2]} "
            f"{'class' if mix[2] == 1 else 'classes'} and logistic regression FedAdp is ahead of "
            "FedAvg after 50 rounds.",
            source="Figure 3",
            artifact="fedadp/fig3",
            metric=Metric("test_weighted_average", "test accuracy, %"),
            better=label("FedAdp", mix),
            worse=label("FedAvg", mix),
        )
        for mix in MIXES
    ),
    Claim(
        name="fedadp/angles",
        statement="The fewer classes a node has, the larger is its angle to the global gradient: "
        "angle and entropy of the labels are correlated negatively.",
        source="Figure 2",
        artifact="fedadp/fig2",
        metric=Metric(
            "angle_correlation", "r of mean angle and label entropy", smaller_is_better=True
        ),
        better="FedAdp",
    ),
    Claim(
        name="fedadp/general_cases",
        statement="FedAdp is ahead of FedAvg where nodes have 1 to 10 classes.",
        source="Figure 5",
        artifact="fedadp/fig5",
        metric=_rounds_to(95),
        better="FedAdp",
        worse="FedAvg",
    ),
    Claim(
        name="fedadp/alpha",
        statement="A larger α, 5 beside 1, is faster.",
        source="Figure 6",
        artifact="fedadp/fig6",
        metric=_rounds_to(95),
        better="FedAdp, α = 5",
        worse="FedAdp, α = 1",
    ),
    *(
        Claim(
            name=f"fedadp/less_divergence_{model.lower()}",
            statement=f"FedAdp's local gradients diverge less than FedAvg's: {model}.",
            source="Figure 7",
            artifact="fedadp/fig7",
            metric=Metric(
                "mean_gradient_divergence",
                "divergence of local gradients, mean over the rounds",
                smaller_is_better=True,
            ),
            better=f"FedAdp, {model}",
            worse=f"FedAvg, {model}",
        )
        for model in ("MLR", "CNN")
    ),
)
