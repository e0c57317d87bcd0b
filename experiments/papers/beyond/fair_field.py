"""The whole field of weightings, tuned alike: tables, ranks and trade-offs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from experiments.declaration import BEST, Artifact, Drawn, Metric, Scale, Tuning, Variant
from experiments.declaration.fairness import FAIRNESS_METRICS, VARIANCE
from experiments.papers.common import few_steps, scales

ALONE = "alone"
_FED_AVG = "FedAvg"


def _tries(name: str, *values: Any) -> tuple[dict[str, Any], ...]:
    return tuple({name: value} for value in values)


def _method(label: str, algorithm: str, tries: Sequence[Any] = ({},), **settings: Any) -> Variant:
    return Variant(label, algorithm, settings, tries=tuple(tries))


# What their papers tried, as far as they say it, the paper's own value among them.
METHODS = (
    _method(_FED_AVG, "fed_avg"),
    _method("uniform", "fed_avg", weighting="uniform"),
    _method("FedProx", "fed_prox", _tries("proximal_strength", 0.01, 0.1, 1.0)),
    _method("SCAFFOLD", "scaffold"),
    _method("FedNova", "fed_nova"),
    _method("q-FedAvg", "q_fed_avg", _tries("q", 0.1, 1.0, 5.0)),
    _method("FedFa", "fed_fa", [{"alpha": a, "beta": 1.0 - a} for a in (0.25, 0.5, 0.75)]),
    # Equal weights with the momentum of FedFa's server, which the other methods lack.
    _method("FedFa-mo", "fed_fa_mo", weighting="uniform"),
    _method("FedAdp", "fed_adp", _tries("alpha", 2.0, 5.0, 8.0)),
    # The server sets the steps, 2 at first. It would compare a cohort's loss with other cohorts'.
    _method(
        "FedVeca",
        "fed_veca",
        _tries("alpha", 0.5, 0.8, 0.95),
        steps=2,
        epochs=None,
        reject_worse=False,
    ),
    _method("FedCav", "fed_cav", _tries("clip", "mean", "none")),
    _method("WeiAvg (projection)", "wei_avg", _tries("exponent", 0.5, 1.0, 2.0)),
    _method("WeiAvg (entropy)", "wei_avg", _tries("exponent", 0.5, 1.0, 2.0), by="entropy"),
    _method("TERM", "term", _tries("tilt", 0.1, 1.0, 5.0)),
    _method("FedDisco", "fed_disco", _tries("discount", 0.1, 0.5, 1.0)),
    _method("FedEBA+", "fed_eba", _tries("temperature", 0.1, 1.0, 10.0)),
    _method("AFL", "afl", _tries("mixture_rate", 0.01, 0.1, 1.0)),
    # A round adds τ γ N F / m to a client's share: with 1,000 clients γ must be small.
    _method("DRFA", "drfa", _tries("mixture_rate", 1e-5, 1e-4, 1e-3)),
    _method("AAggFF-S", "aagg_ff_s", _tries("distribution", "weibull", "exponential", "normal")),
    _method("AAggFF-D", "aagg_ff_d", _tries("distribution", "weibull", "exponential", "normal")),
    _method("FedMGDA+", "fed_mgda", _tries("step_size", 0.1, 0.3, 1.0)),
    _method("FedFV", "fed_fv", _tries("alpha", 0.0, 0.1, 0.5)),
    _method("PropFair", "prop_fair", _tries("baseline", 2.0, 3.0, 5.0)),
    _method("Ditto", "ditto", _tries("personal_strength", 0.1, 0.5, 1.0)),
    _method("Power-of-Choice", "power_of_choice", _tries("num_candidates", 15, 20, 30)),
)
_IMAGES = "image_logistic_regression"
# Of the largest one, 50 clients of 1,200 images with batches of 50.
_ON_DATASETS: Mapping[str, Mapping[str, Any]] = {
    "femnist": {"num_clients": 50, "hand_out_all": True},
    "leaf_femnist": {"model": _IMAGES},
    "mnist_case_3": {"num_clients": 50, "batch_size": 50, "model": "squared_svm"},
}
_DATASETS = (
    *(f"synthetic_{each}" for each in ("iid", "0_0", "0.5_0.5", "1_1")),
    *("mnist", "fashion_mnist", "femnist", "leaf_femnist", "mnist_case_3"),
)
_SAME = {
    "clients_per_round": 10,
    "epochs": 5,
    "batch_size": 10,
    "client_momentum": 0.0,
    "learning_rate_decay": 1.0,
}
cost = functools.partial(Metric, smaller_is_better=True)
SECONDS = cost("relative_seconds_per_round", "seconds a round / FedAvg's", compared_with=_FED_AVG)
KILOBYTES = (cost("kilobytes_down", "kB down"), cost("kilobytes_up", "kB up"))
_METRICS = (
    *FAIRNESS_METRICS[:2],
    VARIANCE,
    Metric("test_weighted_average", "average over examples %"),
    Metric("average_gained", "gain over alone, points", compared_with=ALONE),
    cost(
        "rounds_to_share",
        "rounds to 90 % of the best average",
        parameter=90.0,
        compared_with=BEST,
        decimals=1,
    ),
    *(SECONDS, *KILOBYTES),
)
_WHOLE = Scale(200, {"rounds_per_evaluation": 10})
_EIGHT = dataclasses.replace(
    _WHOLE, datasets=_DATASETS[:-1], why_left_out="it takes as long as three of the others"
)
_RATES = (0.001, 0.003, 0.01, 0.03, 0.1)
_LINEAR = {dataset: {**_SAME, **_ON_DATASETS.get(dataset, {})} for dataset in _DATASETS}
# Two of them once more, with a network.
_NETWORKS = {each: {**_LINEAR[each], "model": "perceptron"} for each in ("mnist", "femnist")}


def artifacts(artifact: Callable[..., Artifact]) -> Iterator[Artifact]:
    """Yields the comparison, its ranks, and the comparison with a network.

    Each is there twice: its settings are chosen by the average, and by the worst 20 %.
    """
    linear = functools.partial(
        artifact,
        datasets=_DATASETS,
        on_datasets=_LINEAR,
        scales=scales(Scale(2, few_steps(2), datasets=("synthetic_1_1",)), _EIGHT, _WHOLE),
    )
    networks = functools.partial(
        artifact,
        datasets=tuple(_NETWORKS),
        on_datasets=_NETWORKS,
        scales=scales(Scale(2, few_steps(2)), _WHOLE, _WHOLE),
    )
    for name, metric in zip(("fair_field", "fair_field_worst"), FAIRNESS_METRICS):
        tuning = Tuning(_RATES, by=metric.key)
        of_all: dict[str, Any] = {
            "variants": (*METHODS, Variant(ALONE, "trained_alone")),
            "metrics": _METRICS,
            "tuning": tuning,
            "view": Drawn(
                "experiments.papers.beyond.trade_off:draw",
                "experiments.papers.beyond.field:summary",
                "experiments.papers.beyond.field:facts",
            ),
        }
        yield linear(name, f"All weightings, tuned alike by {metric.label}", **of_all)
        yield linear(
            f"{name}_ranks",
            f"How all weightings rank over the data sets of beyond/{name}",
            variants=METHODS,
            metrics=FAIRNESS_METRICS[:2],
            tuning=tuning,
            view=Drawn(
                "experiments.papers.beyond.ranks:draw",
                "experiments.papers.beyond.trade_off:summary",
            ),
        )
        yield networks(
            f"{name}_networks",
            f"All weightings with a network, tuned alike by {metric.label}",
            **of_all,
        )
