"""What WeiAvg's paper says of its figures (Dong et al. 2023)."""

from __future__ import annotations

from experiments.declaration import Claim, Metric
from experiments.papers.wei_avg.artifacts import EXPONENTS, SKEWS

_CORRELATION = Metric("correlation", "r of mean projection and label entropy")
_ACCURACY = Metric("test_weighted_average", "test accuracy in the last round, %")
# The paper calls 10 unstable late, and the weights of 0.0001 are almost FedAvg's.
_LEADING = tuple(exponent for exponent in EXPONENTS if 0.1 <= exponent <= 1)
_BY = {"entropy": ("fig3", "fig6"), "projection": ("fig4", "fig7")}


def _in_a_name(number: float) -> str:
    return f"{number:g}".replace(".", "_")


CLAIMS = (
    *(
        Claim(
            name=f"weiavg/correlated_{name}",
            statement="The projection of a client's updates on the mean update grows with the "
            f"entropy of its labels: {method}.",
            source="Figure 2",
            artifact="weiavg/fig2",
            metric=_CORRELATION,
            better=method,
        )
        for name, method in (("fed_avg", "FedAvg"), ("wei_avg", "WeiAvg, λ = 1"))
    ),
    *(
        Claim(
            name=f"weiavg/{name}_{by}",
            statement=f"{statement}, weighed by {by}.",
            source=source,
            artifact=f"weiavg/{figures[at]}",
            metric=_ACCURACY,
            better=better,
            worse=worse,
        )
        for by, figures in _BY.items()
        for name, at, better, worse, statement, source in (
            (
                "best_lambda",
                0,
                "WeiAvg, best λ",
                "FedAvg",
                "The best λ, chosen on the test data, is ahead of λ = 0, which is FedAvg",
                "Figures 3 and 4",
            ),
            (
                "adds_to_fed_prox",
                1,
                "WeiAvg + FedProx",
                "FedProx",
                "WeiAvg and FedProx together are ahead of FedProx",
                "Figures 6 and 7",
            ),
            (
                "fed_prox_adds",
                1,
                "WeiAvg + FedProx",
                "WeiAvg",
                "WeiAvg and FedProx together are ahead of WeiAvg",
                "Figures 6 and 7",
            ),
        )
    ),
    *(
        Claim(
            name=f"weiavg/lambda_{_in_a_name(exponent)}_{by}",
            statement=f"λ = {exponent:g} is ahead of λ = 0, which is FedAvg, weighed by {by}.",
            source="Figures 3 and 4; the sweep of λ is our decision",
            artifact=f"weiavg/{figures[0]}",
            metric=_ACCURACY,
            better=f"WeiAvg, λ = {exponent:g}",
            worse="FedAvg",
        )
        for by, figures in _BY.items()
        for exponent in _LEADING
    ),
    *(
        Claim(
            name=f"weiavg/skew_{_in_a_name(p)}",
            statement=f"WeiAvg is ahead of FedAvg with entropies of p = {p:g}.",
            source="Figure 9; p is our decision",
            artifact="weiavg/fig9",
            metric=_ACCURACY,
            better=f"WeiAvg, p = {p:g}",
            worse=f"FedAvg, p = {p:g}",
        )
        for p in SKEWS
    ),
    Claim(
        name="weiavg/even_correlated",
        statement="The projection of a client's updates on the mean update grows with the entropy "
        "of its labels where every number of labels is as likely, p = 0: FedAvg.",
        source="Control: figure 2; p is our decision",
        artifact="weiavg/even",
        metric=_CORRELATION,
        better="FedAvg",
    ),
    *(
        Claim(
            name=f"weiavg/even_{by}",
            statement="WeiAvg is ahead of FedAvg where every number of labels is as likely, p = 0, "
            f"weighed by {by}.",
            source="Control: figures 3 and 4; p is our decision",
            artifact="weiavg/even",
            metric=_ACCURACY,
            better=f"WeiAvg by {by}",
            worse="FedAvg",
        )
        for by in _BY
    ),
    Claim(
        name="weiavg/epochs",
        statement="Projection and entropy are correlated more with 10 local epochs than with 1.",
        source="Figure 10",
        artifact="weiavg/fig10",
        metric=_CORRELATION,
        better="FedAvg, E = 10",
        worse="FedAvg, E = 1",
    ),
)
