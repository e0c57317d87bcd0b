"""What WeiAvg's paper says of its figures (Dong et al. 2023)."""

from __future__ import annotations

from experiments.declaration import Claim, Metric
from experiments.papers.wei_avg.artifacts import EPOCHS, EXPONENTS, SKEWS

_CORRELATION = Metric("correlation", "r of mean projection and label entropy")
_ACCURACY = Metric("test_weighted_average", "test accuracy in the last round, %")
_EARLY = Metric("mean_accuracy", "test accuracy, %, mean of the first 10 rounds", in_round=10)
# The paper calls 10 unstable late, and the weights of 0.0001 are almost FedAvg's.
_LEADING = tuple(exponent for exponent in EXPONENTS if 0.1 <= exponent <= 1)
# What weighs, the figure of each λ, and that of FedProx.
_BY = (("entropy", "fig3", "fig6"), ("projection", "fig4", "fig7"))
_LAMBDA, _FED_PROX = "Figures 3 and 4", "Figures 6 and 7"
_GROWS = (
    "The projection of a client's updates on the mean update grows with the entropy of its labels"
)


def _claim(
    name: str,
    artifact: str,
    statement: str,
    source: str,
    better: str,
    worse: str | None = "FedAvg",
    *,
    metric: Metric = _ACCURACY,
) -> Claim:
    return Claim(f"weiavg/{name}", statement, source, f"weiavg/{artifact}", metric, better, worse)


def _in_a_name(number: float) -> str:
    return f"{number:g}".replace(".", "_")


CLAIMS = (
    *(
        _claim(
            f"correlated_{name}",
            "fig2",
            f"{_GROWS}: {method}.",
            "Figure 2",
            method,
            None,
            metric=_CORRELATION,
        )
        for name, method in (
            ("fed_avg", "FedAvg"),
            ("wei_avg", "WeiAvg, λ = 1"),
            *(
                (f"lambda_{_in_a_name(exponent)}", f"WeiAvg, λ = {exponent:g}")
                for exponent in EXPONENTS
                if exponent != 1
            ),
        )
    ),
    *(
        _claim(f"{name}_{by}", figure, f"{says}, weighed by {by}.", source, better, worse)
        for by, of_lambda, of_fed_prox in _BY
        for name, figure, says, source, better, worse in (
            (
                "best_lambda",
                of_lambda,
                "The best λ, chosen on the test data, is ahead of λ = 0, which is FedAvg",
                _LAMBDA,
                "WeiAvg, best λ",
                "FedAvg",
            ),
            *(
                (
                    name,
                    of_fed_prox,
                    f"WeiAvg and FedProx together are ahead of {alone}",
                    _FED_PROX,
                    "WeiAvg + FedProx",
                    alone,
                )
                for name, alone in (("adds_to_fed_prox", "FedProx"), ("fed_prox_adds", "WeiAvg"))
            ),
        )
    ),
    *(
        _claim(
            f"lambda_{_in_a_name(exponent)}_{by}",
            figure,
            f"λ = {exponent:g} is ahead of λ = 0, which is FedAvg, weighed by {by}.",
            f"{_LAMBDA}; the sweep of λ is our decision",
            f"WeiAvg, λ = {exponent:g}",
        )
        for by, figure, _ in _BY
        for exponent in _LEADING
    ),
    *(
        _claim(
            f"early_lambda_10_{by}",
            figure,
            f"λ = 10 has a large advantage over FedAvg early, weighed by {by}.",
            "Figures 3 and 4; Decision: by the mean of 10 rounds",
            "WeiAvg, λ = 10",
            metric=_EARLY,
        )
        for by, figure, _ in _BY
    ),
    *(
        _claim(name, figure, f"{says}.", f"{_FED_PROX}{by_decision}", better, worse, metric=metric)
        for name, figure, says, by_decision, better, worse, metric in (
            ("fed_prox", "fig6", "FedProx is ahead of FedAvg", "", "FedProx", "FedAvg", _ACCURACY),
            *(
                (
                    f"over_fed_prox_{by}",
                    figure,
                    f"WeiAvg is ahead of FedProx in the first rounds, weighed by {by}",
                    "; Decision: by the mean of 10 rounds",
                    "WeiAvg",
                    "FedProx",
                    _EARLY,
                )
                for by, _, figure in _BY
            ),
        )
    ),
    *(
        _claim(
            f"fig11_{epochs}",
            "fig11",
            f"With {epochs} local epochs {better} is ahead of {worse}.",
            "Figure 11",
            f"{better}, E = {epochs}",
            f"{worse}, E = {epochs}",
        )
        for epochs in EPOCHS
        for better, worse in [("FedAvg", "WeiAvg") if epochs <= 2 else ("WeiAvg", "FedAvg")]
    ),
    *(
        _claim(
            f"skew_{_in_a_name(p)}",
            "fig9",
            f"WeiAvg is ahead of FedAvg with entropies of p = {p:g}.",
            "Figure 9; p is our decision",
            f"WeiAvg, p = {p:g}",
            f"FedAvg, p = {p:g}",
        )
        for p in SKEWS
    ),
    _claim(
        "even_correlated",
        "even",
        f"{_GROWS} where every number of labels is equally likely, p = 0: FedAvg.",
        "Control: figure 2; p is our decision",
        "FedAvg",
        None,
        metric=_CORRELATION,
    ),
    *(
        _claim(
            f"even_{by}",
            "even",
            "WeiAvg is ahead of FedAvg where every number of labels is equally likely, p = 0, "
            f"weighed by {by}.",
            "Control: figures 3 and 4; p is our decision",
            f"WeiAvg by {by}",
        )
        for by, *_ in _BY
    ),
    _claim(
        "epochs",
        "fig10",
        "Projection and entropy are correlated more with 10 local epochs than with 1.",
        "Figure 10",
        "FedAvg, E = 10",
        "FedAvg, E = 1",
        metric=_CORRELATION,
    ),
)
