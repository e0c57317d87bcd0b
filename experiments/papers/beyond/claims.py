"""What no paper claims, and its controls ask: weights alone, and being alone."""

from __future__ import annotations

from experiments.declaration import Claim, Metric
from experiments.papers.beyond.fairness import ALONE
from experiments.papers.beyond.sensitivity import RATES, label

_WORST_20 = Metric("test_worst_20", "worst 20 %")
_MEAN_GAIN = Metric("mean_gain", "gain over alone, points", compared_with=ALONE)
_WORST_20_GAIN = Metric(
    "worst_20_gain", "gain of the 20 % that gain least, points", compared_with=ALONE
)


def _over_uniform(weighting: str, name: str, rate: float) -> Claim:
    return Claim(
        name=f"beyond/{name}_over_uniform_at_{rate:g}",
        statement=f"At a rate of {rate:g}, the weights of {weighting} alone serve the worst 20 % "
        "of the clients better than equal weights do.",
        source="Control",
        artifact="beyond/sensitivity",
        metric=_WORST_20,
        better=label(weighting, rate),
        worse=label("uniform", rate),
    )


def _over_alone(method: str, name: str) -> tuple[Claim, ...]:
    return (
        Claim(
            name=f"beyond/{name}_over_alone",
            statement=f"With {method} clients fare better than alone, on average.",
            source="Control",
            artifact="beyond/fairness",
            metric=_MEAN_GAIN,
            better=method,
        ),
        Claim(
            name=f"beyond/{name}_over_alone_worst_20",
            statement=f"With {method} even the 20 % of the clients that gain least fare better "
            "than alone.",
            source="Control",
            artifact="beyond/fairness",
            metric=_WORST_20_GAIN,
            better=method,
        ),
    )


CLAIMS = (
    *(_over_uniform("FedFa", "fed_fa", rate) for rate in RATES),
    *(_over_uniform("FedAdp", "fed_adp", rate) for rate in RATES),
    *(_over_uniform("FedCav", "fed_cav", rate) for rate in RATES),
    *(_over_uniform("WeiAvg (projection)", "wei_avg_projection", rate) for rate in RATES),
    *(_over_uniform("WeiAvg (entropy)", "wei_avg_entropy", rate) for rate in RATES),
    *_over_alone("FedAvg", "fed_avg"),
    *_over_alone("FedFa", "fed_fa"),
)
