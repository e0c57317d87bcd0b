"""The tables on the page of FedFa's results."""

from __future__ import annotations

import dataclasses
import functools

from experiments.declaration import Metric, Numbers, PageTable, Shown
from experiments.papers.fed_fa.methods import (
    AVERAGE,
    FED_AVG,
    FED_PROX,
    HETEROGENEOUS,
    Q_FAIR,
    SYNTHETIC,
    VARIANCE,
    WORST_20,
)

_THREE_SEEDS = (1, 2, 3)
_FED_FA = "FedFa"
_OF_TABLE_2 = (FED_AVG.label, FED_PROX.label, Q_FAIR.label)


def _rounded(metric: Metric, decimals: int, in_round: int | None = None) -> Metric:
    return dataclasses.replace(metric, decimals=decimals, in_round=in_round)


_AVERAGE, _WORST_20 = _rounded(AVERAGE, 1), _rounded(WORST_20, 1)
_SHORT_FAIRNESS = (_AVERAGE, _WORST_20, _rounded(VARIANCE, 0))
_FAIRNESS_COLUMNS = ("average %", "worst 20 %", "variance")
_LOSS = Metric("train_loss", "training loss")
_NUMBERS_OF_ROUNDS = (200, 1000, 2000)

_of_controls = functools.partial(
    Numbers,
    artifact="fedfa/controls",
    scale="paper",
    seeds=_THREE_SEEDS,
    metrics=(_AVERAGE, _WORST_20),
)
_CONTROLS = (
    ("FedAvg, by examples", "0.01", "FedAvg"),
    ("FedAvg, by examples", "0.001", "FedAvg at 0.001"),
    ("FedAvg, by examples", "0.0001", "FedAvg at 0.0001"),
    ("equal weights", "0.01", "uniform"),
    ("equal weights", "0.001", "uniform at 0.001"),
    ("equal weights", "0.0001", "uniform at 0.0001"),
    ("equal weights, both momenta", "0.0001", "uniform, both momenta"),
    ("FedFa", "0.0001", _FED_FA),
)
_LEFT_OUT_OF_TABLE_2 = (
    ("FedNova, 5 epochs", "0.001", "FedNova at 0.001"),
    ("SCAFFOLD", "0.0001", "SCAFFOLD at 0.0001"),
    ("FedFa", "0.0001", _FED_FA),
)


def _table_of_controls(name: str, methods: tuple[tuple[str, str, str], ...]) -> PageTable:
    return PageTable(
        name=name,
        header=("method", "rate", *HETEROGENEOUS),
        rows=tuple(
            (
                described,
                rate,
                *(_of_controls(dataset=dataset, methods=(label,)) for dataset in HETEROGENEOUS),
            )
            for described, rate, label in methods
        ),
    )


def _after(number_of_rounds: int) -> tuple[Metric, ...]:
    return tuple(_rounded(metric, 1, number_of_rounds) for metric in (AVERAGE, WORST_20))


def _fairness(of_row: functools.partial[Numbers]) -> tuple[Numbers, ...]:
    return tuple(of_row(metrics=(metric,), shown=Shown.BESIDE_PAPER) for metric in _SHORT_FAIRNESS)


# FedFa-mo keeps its own rate beside all of theirs.
_LOSSES = (
    ("fedfa/fig2", "0.01", True),
    ("fedfa/fig4", "0.001", False),
    ("fedfa/fig5", "0.0001", False),
)
_BASELINES = ("FedAvg", "FedProx", "SCAFFOLD", "FedNova")
_FED_FA_MO = "FedFa-mo"

PAGE_TABLES = (
    PageTable(
        name="fedfa/table2",
        header=("data set", "method", *_FAIRNESS_COLUMNS),
        rows=tuple(
            (
                dataset,
                method,
                *_fairness(
                    functools.partial(
                        Numbers,
                        artifact="fedfa/table2",
                        scale="paper",
                        seeds=(1, 2, 3, 4, 5),
                        dataset=dataset,
                        methods=(method,),
                    )
                ),
            )
            for dataset in SYNTHETIC
            for method in (*_OF_TABLE_2, _FED_FA_MO, "FedFa-mo, n_i", _FED_FA)
        ),
    ),
    _table_of_controls("fedfa/controls", _CONTROLS),
    _table_of_controls("fedfa/left_out_of_table2", _LEFT_OUT_OF_TABLE_2),
    PageTable(
        name="fedfa/losses",
        header=("data set", "rate", *_BASELINES, _FED_FA_MO),
        rows=tuple(
            (
                dataset if is_first else "",
                rate,
                *(of_row(methods=(label,)) for label in _BASELINES),
                of_row(methods=(_FED_FA_MO,)) if is_first else "",
            )
            for dataset in HETEROGENEOUS
            for artifact, rate, is_first in _LOSSES
            for of_row in (
                functools.partial(
                    Numbers,
                    artifact=artifact,
                    scale="paper",
                    seeds=_THREE_SEEDS,
                    dataset=dataset,
                    metrics=(_LOSS,),
                ),
            )
        ),
    ),
    PageTable(
        name="fedfa/letters",
        header=("method", *_FAIRNESS_COLUMNS),
        rows=tuple(
            (
                method,
                *_fairness(
                    functools.partial(
                        Numbers,
                        artifact="fedfa/table2_real",
                        scale="short",
                        seeds=_THREE_SEEDS,
                        dataset="femnist",
                        methods=(method,),
                    )
                ),
            )
            for method in (*_OF_TABLE_2, _FED_FA_MO, _FED_FA)
        ),
    ),
    PageTable(
        name="fedfa/rounds",
        header=("data set", "method", "after 200", "1,000", "2,000", "paper"),
        rows=tuple(
            (
                dataset,
                method,
                *(of_row(metrics=_after(number)) for number in _NUMBERS_OF_ROUNDS),
                of_row(metrics=_after(_NUMBERS_OF_ROUNDS[0]), shown=Shown.PAPER),
            )
            for dataset in SYNTHETIC
            for method in (*_OF_TABLE_2, _FED_FA)
            for of_row in (
                functools.partial(
                    Numbers,
                    artifact="fedfa/rounds",
                    scale="paper",
                    seeds=_THREE_SEEDS,
                    dataset=dataset,
                    methods=(method,),
                    separator=" / ",
                ),
            )
        ),
    ),
)
