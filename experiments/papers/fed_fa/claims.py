"""What FedFa's paper says of its tables and figures, and what its controls ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from experiments.declaration import Claim, Metric
from experiments.papers.common import rounds_to
from experiments.papers.fed_fa.methods import AVERAGE, HETEROGENEOUS, VARIANCE, WORST_20

_BY_FAIRNESS = (
    ("worst_20", "serves the worst 20 % of the clients better", WORST_20),
    ("variance", "has a smaller variance over the clients", VARIANCE),
)
_BY_ALL = (*_BY_FAIRNESS, ("average", "has the better average over the clients", AVERAGE))
_LOSS = Metric("train_loss", "training loss", smaller_is_better=True)
_BEST_20 = Metric("test_best_20", "best 20 %", "best20")
_SPEED = Metric("mean_accuracy", "test accuracy %, mean of all rounds")
_FALLS = Metric("oscillation", "falls of accuracy, points a round", smaller_is_better=True)
_BY_SWINGS = (("oscillation", "swings less from round to round", _FALLS),)
_BY_SPEED = (("speed", "converges faster", _SPEED),)
_BY_COMMUNICATION = (
    ("rounds", "takes fewer rounds to 70 %", rounds_to(70)),
    (
        "bytes",
        "sends and receives fewer bytes to 70 %",
        Metric(
            "paper_megabytes_to", "MB to 70 %, paper's way", parameter=70.0, smaller_is_better=True
        ),
    ),
)
_OTHERS = ("FedAvg", "FedProx", "SCAFFOLD", "FedNova")
_TABLE_2, _CONTROL = "section 4.3, Table 2", "Control"
_BY_DECISION = "; Decision: by the mean accuracy of all rounds"


def _claims(
    artifact: str,
    better: str,
    others: Iterable[str],
    comparisons: Iterable[tuple[str, str, Metric]],
    source: str,
    *,
    datasets: tuple[str, ...] | None = None,
) -> Iterator[Claim]:
    """One claim for each of the others and each metric."""
    where = " on heterogeneous data" if datasets == HETEROGENEOUS else ""
    for other in others:
        for name, says, metric in comparisons:
            yield Claim(
                name=f"fedfa/{artifact}_{name}_{_slug(better)}_over_{_slug(other)}",
                statement=f"{better} {says} than {other}{where}.",
                source=source,
                artifact=f"fedfa/{artifact}",
                metric=metric,
                better=better,
                worse=other,
                datasets=datasets,
            )


def _slug(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")


CLAIMS = (
    # On IID data the paper has FedFa behind FedAvg, and says so.
    *_claims("table2", "FedFa", ["FedAvg"], _BY_ALL, _TABLE_2, datasets=HETEROGENEOUS),
    *_claims("table2", "FedFa", ["FedProx", "q-Fair"], _BY_ALL, _TABLE_2),
    *_claims(
        "table2",
        "FedFa",
        ["FedAvg"],
        (("best_20", "serves the best 20 % of the clients better", _BEST_20),),
        _TABLE_2,
        datasets=HETEROGENEOUS,
    ),
    Claim(
        name="fedfa/table2_iid",
        statement="On IID data FedAvg has a better average over the clients than FedFa.",
        source='section 4.3, Table 2: "slightly inferior", by 3.4 points',
        artifact="fedfa/table2",
        metric=AVERAGE,
        better="FedAvg",
        worse="FedFa",
        datasets=("synthetic_iid",),
    ),
    *_claims(
        "table2",
        "q-Fair",
        ["FedAvg", "FedProx"],
        _BY_FAIRNESS,
        "section 4.3, of synthetic(1, 1)",
        datasets=("synthetic_1_1",),
    ),
    *_claims("table3", "FedFa", ["FedFa-mo"], _BY_FAIRNESS, "section 4.3, Table 3"),
    Claim(
        name="fedfa/table3_average",
        statement="FedFa's average over the clients is close to FedFa-mo's.",
        source="section 4.3, Table 3; Decision: close is within the margin of no interest",
        artifact="fedfa/table3",
        metric=AVERAGE,
        better="FedFa",
        worse="FedFa-mo",
        datasets=HETEROGENEOUS,
        kind="equal",
    ),
    *_claims(
        "table2_real",
        "FedFa",
        ["FedAvg", "FedProx", "q-Fair", "FedFa-mo"],
        _BY_FAIRNESS,
        "section 4.3, Tables 2 and 3",
    ),
    *_claims(
        "controls",
        "FedFa",
        [
            "uniform, both momenta",
            *(
                f"{name} at 0.0001"
                for name in ("uniform", "FedAvg", "FedProx", "q-Fair", "SCAFFOLD")
            ),
            "FedNova at 0.001",
        ],
        _BY_FAIRNESS,
        _CONTROL,
    ),
    # What uniform weights do by themselves, at the same rate and without momenta.
    *_claims("controls", "uniform at 0.0001", ["FedAvg at 0.0001"], _BY_FAIRNESS, _CONTROL),
    *_claims(
        "fig2",
        "FedFa-mo",
        ["FedAvg", "FedProx"],
        (("loss", "gets to a lower training loss", _LOSS), *_BY_SWINGS),
        "section 4.2, Figure 2",
        datasets=HETEROGENEOUS,
    ),
    *_claims(
        "fig2",
        "FedFa-mo",
        _OTHERS,
        _BY_SPEED,
        f"section 4.2, Figure 2, on IID data, too{_BY_DECISION}",
    ),
    *_claims(
        "fig2",
        "FedProx",
        ["FedAvg"],
        _BY_SPEED,
        f"section 4.2, Figure 2{_BY_DECISION}",
        datasets=HETEROGENEOUS,
    ),
    *(
        claim
        for number in (3, 4, 6)
        for claim in _claims(
            f"fig{number}",
            "FedFa-mo",
            _OTHERS,
            _BY_SPEED,
            f"section 4.2, Figure {number}{_BY_DECISION}",
        )
    ),
    *_claims(
        "fig5",
        "FedFa-mo",
        _OTHERS,
        (("loss", "gets to a lower training loss at the same rate", _LOSS),),
        "section 4.2, Figure 5",
    ),
    *(
        Claim(
            name=f"fedfa/fig8_{name}_symmetric",
            statement="It makes no difference whether FedFa weighs by accuracy alone or by "
            f"participations alone: {metric.label}.",
            source="section 4.4, Figure 8",
            artifact="fedfa/fig8",
            metric=metric,
            better="FedFa (1, 0)",
            worse="FedFa (0, 1)",
            kind="equal",
        )
        for name, metric in (("average", AVERAGE), ("worst_20", WORST_20))
    ),
    *_claims(
        "fig2",
        "FedFa-mo",
        _OTHERS,
        _BY_COMMUNICATION,
        "section 4.5; Decision: 70 % of all test examples",
        datasets=HETEROGENEOUS,
    ),
    *(
        claim
        for one_sided in ("FedFa (1, 0)", "FedFa (0, 1)")
        for claim in _claims(
            "fig9",
            one_sided,
            ["FedFa (0.5, 0.5)"],
            _BY_ALL[2:],
            'section 4.4, Figure 9: "a bias towards one parameter can lead to better" results',
        )
    ),
    *_claims("fig10", "FedFa-mo, b = 3", ["FedFa-mo, b = 1"], _BY_SWINGS, "section 4.4, Figure 10"),
)
