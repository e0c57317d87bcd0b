"""The tables on the page of FedCav's results."""

from __future__ import annotations

from experiments.declaration import Metric, Numbers, PageTable, Runs, Shown

_THREE_SEEDS = (1, 2, 3)
_AUDIT = Runs("fedcav/audit", "short", _THREE_SEEDS)
_ATTACK = Runs("fedcav/attack", "short", _THREE_SEEDS)
_LOG = Runs("fedcav/log", "paper", _THREE_SEEDS)
_LOSSES = Runs("fedcav/losses", "paper", _THREE_SEEDS)
_ON_THE_TASK = "mnist_major_minor"

_AUDITED = ("FedCav, audit", "FedCav, audit, no attack")
_AROUND_THE_ATTACK = (19, 20, 22)
_ALARMS = Metric("alarms", "alarms", decimals=0)
_TO_90 = Metric("rounds_to", "rounds to 90 %", parameter=90.0, decimals=0)
_COUNTING = Metric("mean_effective_participants", "participants that count, of 10", decimals=1)
_LAST_ROUNDS = range(81, 101)


def _average(in_round: int, *, decimals: int = 2) -> Metric:
    # The column is that of the authors' log.
    return Metric(
        "test_average",
        f"in round {in_round}",
        f"round_{in_round}",
        in_round=in_round,
        decimals=decimals,
    )


def _by_seed(runs: Runs, dataset: str, method: str, metric: Metric) -> str | Numbers:
    """No alarms where there is no audit."""
    if metric is _ALARMS and method not in _AUDITED:
        return "–"
    return Numbers(runs, dataset, (method,), (metric,), Shown.SEEDS)


def _attack_table(
    runs: Runs, dataset: str, methods: tuple[str, ...], metrics: tuple[Metric, ...]
) -> PageTable:
    return PageTable(
        name=runs.artifact,
        header=("", *(metric.label for metric in metrics)),
        rows=tuple(
            (method, *(_by_seed(runs, dataset, method, metric) for metric in metrics))
            for method in methods
        ),
    )


def _around_the_attack(last_round: int) -> tuple[Metric, ...]:
    return tuple(_average(number, decimals=1) for number in (*_AROUND_THE_ATTACK, last_round))


def _of_the_log(method: str) -> tuple[Numbers, ...]:
    beside_the_log = (
        Numbers(_LOG, _ON_THE_TASK, (method,), (_average(number),), Shown.BESIDE_PAPER)
        for number in (10, 50, 100)
    )
    swing = tuple(map(_average, _LAST_ROUNDS))
    return (
        *beside_the_log,
        Numbers(_LOG, _ON_THE_TASK, (method,), swing, Shown.RANGE, separator=" – "),
        Numbers(_LOG, _ON_THE_TASK, (method,), (_TO_90,), Shown.SEEDS),
    )


PAGE_TABLES = (
    _attack_table(
        _AUDIT, "synthetic_1_1", ("FedAvg", "FedCav", *_AUDITED), _around_the_attack(100)
    ),
    _attack_table(
        _ATTACK,
        _ON_THE_TASK,
        ("FedAvg", "FedProx", "FedCav", *_AUDITED),
        (*_around_the_attack(40), _ALARMS),
    ),
    PageTable(
        name="fedcav/log",
        header=(
            "",
            "in round 10",
            "in round 50",
            "in round 100",
            "rounds 81 to 100, from – to",
            f"{_TO_90.label}, by seed",
        ),
        rows=tuple((method, *_of_the_log(method)) for method in ("FedAvg", "FedCav", "FedProx")),
    ),
    PageTable(
        name="fedcav/losses",
        header=(
            "FedCav weighs by",
            "in round 10",
            "in round 100",
            f"{_TO_90.label}, by seed",
            _COUNTING.label,
        ),
        rows=tuple(
            (
                described,
                *(
                    Numbers(_LOSSES, _ON_THE_TASK, (method,), (metric,), shown)
                    for metric, shown in (
                        (_average(10), Shown.DEVIATION),
                        (_average(100), Shown.DEVIATION),
                        (_TO_90, Shown.SEEDS),
                        (_COUNTING, Shown.DEVIATION),
                    )
                ),
            )
            for method, described in (
                ("FedCav, sum, clipped", "the sum, clipped"),
                ("FedCav, sum, not clipped", "the sum, not clipped"),
                ("FedCav, mean, clipped", "the mean, clipped"),
                ("FedCav, mean, not clipped", "the mean, not clipped"),
                ("FedAvg", "nothing, which is FedAvg"),
            )
        ),
    ),
)
