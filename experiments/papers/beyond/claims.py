"""What no paper claims, and its controls ask: weights alone, and being alone."""

from __future__ import annotations

from experiments.declaration import Claim, Metric
from experiments.papers.beyond.artifacts import ALONE, RATES, label

_WORST_20 = Metric("test_worst_20", "worst 20 %")
_MEAN_GAIN = Metric("mean_gain", "gain over alone, points", compared_with=ALONE)
_WORST_20_GAIN = Metric(
    "worst_20_gain", "gain of the 20 % that gain least, points", compared_with=ALONE
)


CLAIMS = (
    *(
        Claim(
            name=f"beyond/{name}_over_uniform_at_{rate:g}",
            statement=f"At a rate of {rate:g}, the weights of {weighting} alone serve the worst "
            "20 % of the clients better than equal weights do.",
            source="Control",
            artifact="beyond/sensitivity",
            metric=_WORST_20,
            better=label(weighting, rate),
            worse=label("uniform", rate),
        )
        for weighting, name in (
            ("FedFa", "fed_fa"),
            ("FedAdp", "fed_adp"),
            ("FedCav", "fed_cav"),
            ("WeiAvg (projection)", "wei_avg_projection"),
            ("WeiAvg (entropy)", "wei_avg_entropy"),
        )
        for rate in RATES
    ),
    *(
        Claim(
            name=f"beyond/{name}_over_alone{suffix}",
            statement=f"With {method} {statement}",
            source="Control",
            artifact="beyond/fairness",
            metric=metric,
            better=method,
        )
        for method, name in (("FedAvg", "fed_avg"), ("FedFa", "fed_fa"))
        for suffix, statement, metric in (
            ("", "clients fare better than alone, on average.", _MEAN_GAIN),
            (
                "_worst_20",
                "even the 20 % of the clients that gain least fare better than alone.",
                _WORST_20_GAIN,
            ),
        )
    ),
)
