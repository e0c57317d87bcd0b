"""The tables on the page of FedCav's results."""

from __future__ import annotations

import functools

from experiments.declaration import Metric, Numbers, PageTable, Shown

_THREE_SEEDS = (1, 2, 3)
_ON_THE_TASK = "mnist_major_minor"
_AUDITED = ("FedCav, audit", "FedCav, audit, no attack")
_AROUND_THE_ATTACK = (19, 20, 22)
_ALARMS = Metric("alarms", "alarms", decimals=0)
_TO_90 = Metric("rounds_to", "rounds to 90 %", parameter=90.0, decimals=0)
_COUNTING = Metric("mean_effective_participants", "participants that count", decimals=1)


def _average(in_round: int, decimals: int = 1) -> Metric:
    # The column under which the authors' log stands.
    column = f"round_{in_round}"
    return Metric("test_average", "average %", column, in_round=in_round, decimals=decimals)


def _attacked(of_row: functools.partial[Numbers], last_round: int) -> tuple[Numbers, ...]:
    return tuple(
        of_row(metrics=(_average(in_round),)) for in_round in (*_AROUND_THE_ATTACK, last_round)
    )


def _attack_table(
    name: str, *, dataset: str, methods: tuple[str, ...], last_round: int, counts_alarms: bool
) -> PageTable:
    rows: list[tuple[str | Numbers, ...]] = []
    for method in methods:
        of_row = functools.partial(
            Numbers,
            artifact=name,
            scale="short",
            seeds=_THREE_SEEDS,
            dataset=dataset,
            methods=(method,),
            shown=Shown.SEEDS,
        )
        row: list[str | Numbers] = [method, *_attacked(of_row, last_round)]
        if counts_alarms:
            row.append(of_row(metrics=(_ALARMS,)) if method in _AUDITED else "–")
        rows.append(tuple(row))
    rounds = tuple(f"in round {number}" for number in (*_AROUND_THE_ATTACK, last_round))
    return PageTable(name, ("", *rounds, *(("alarms",) if counts_alarms else ())), tuple(rows))


_of_the_log = functools.partial(Numbers, scale="paper", seeds=(1,), dataset=_ON_THE_TASK)

PAGE_TABLES = (
    _attack_table(
        "fedcav/audit",
        dataset="synthetic_1_1",
        methods=("FedAvg", "FedCav", *_AUDITED),
        last_round=100,
        counts_alarms=False,
    ),
    _attack_table(
        "fedcav/attack",
        dataset=_ON_THE_TASK,
        methods=("FedAvg", "FedProx", "FedCav", *_AUDITED),
        last_round=40,
        counts_alarms=True,
    ),
    PageTable(
        name="fedcav/log",
        header=(
            "",
            "in round 10",
            "in round 50",
            "in round 100",
            "rounds 81 to 100, from – to",
            "rounds to 90 %",
        ),
        rows=tuple(
            (
                method,
                *(
                    of_row(metrics=(_average(in_round, decimals=2),), shown=Shown.BESIDE_PAPER)
                    for in_round in (10, 50, 100)
                ),
                of_row(
                    metrics=tuple(_average(number, decimals=2) for number in range(81, 101)),
                    shown=Shown.RANGE,
                    separator=" – ",
                ),
                of_row(metrics=(_TO_90,)),
            )
            for method in ("FedAvg", "FedCav", "FedProx")
            for of_row in (
                functools.partial(_of_the_log, artifact="fedcav/log", methods=(method,)),
            )
        ),
    ),
    PageTable(
        name="fedcav/losses",
        header=(
            "FedCav weighs by",
            "in round 10",
            "in round 100",
            "rounds to 90 %",
            "participants that count, of 10",
        ),
        rows=tuple(
            (
                described,
                *(
                    _of_the_log(artifact="fedcav/losses", methods=(method,), metrics=(metric,))
                    for metric in (
                        _average(10, decimals=2),
                        _average(100, decimals=2),
                        _TO_90,
                        _COUNTING,
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
