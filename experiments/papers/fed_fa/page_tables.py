"""The tables on the page of FedFa's results."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric, Numbers, PageTable, Runs, Shown
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
_TABLE_2 = Runs("fedfa/table2", "paper", (1, 2, 3, 4, 5))
_LETTERS = Runs("fedfa/table2_real", "short", _THREE_SEEDS)
_CONTROLS = Runs("fedfa/controls", "paper", _THREE_SEEDS)
_ROUNDS = Runs("fedfa/rounds", "paper", _THREE_SEEDS)
_CURVES = {
    rate: Runs(f"fedfa/{figure}", "paper", _THREE_SEEDS)
    for rate, figure in (("0.01", "fig2"), ("0.001", "fig4"), ("0.0001", "fig5"))
}

_IN_THE_PAPERS_TABLE = (FED_AVG.label, FED_PROX.label, Q_FAIR.label)
_FED_FA, _FED_FA_MO = "FedFa", "FedFa-mo"
_BASELINES = ("FedAvg", "FedProx", "SCAFFOLD", "FedNova")

_AVERAGE_AND_WORST = tuple(dataclasses.replace(each, decimals=1) for each in (AVERAGE, WORST_20))
_FAIRNESS = (*_AVERAGE_AND_WORST, dataclasses.replace(VARIANCE, decimals=0))
_FAIRNESS_COLUMNS = tuple(metric.label for metric in _FAIRNESS)
_LOSS = Metric("train_loss", "training loss")


def _fairness(runs: Runs, dataset: str, method: str) -> tuple[Numbers, ...]:
    return tuple(
        Numbers(runs, dataset, (method,), (metric,), Shown.BESIDE_PAPER) for metric in _FAIRNESS
    )


def _table_of_controls(name: str, rows: tuple[tuple[str, str, str], ...]) -> PageTable:
    """Of rows that are what a method is, its rate, and its label."""
    return PageTable(
        name=name,
        header=("method", "rate", *HETEROGENEOUS),
        rows=tuple(
            (
                described,
                rate,
                *(
                    Numbers(_CONTROLS, dataset, (label,), _AVERAGE_AND_WORST)
                    for dataset in HETEROGENEOUS
                ),
            )
            for described, rate, label in rows
        ),
    )


def _losses(dataset: str, rate: str) -> tuple[str | Numbers, ...]:
    """A row of the losses; FedFa-mo keeps its own rate beside all of the baselines'."""
    runs = _CURVES[rate]
    of_baselines = (Numbers(runs, dataset, (name,), (_LOSS,)) for name in _BASELINES)
    if rate != next(iter(_CURVES)):
        return ("", rate, *of_baselines, "")
    return (dataset, rate, *of_baselines, Numbers(runs, dataset, (_FED_FA_MO,), (_LOSS,)))


def _after(number_of_rounds: int) -> tuple[Metric, ...]:
    return tuple(
        dataclasses.replace(metric, in_round=number_of_rounds) for metric in _AVERAGE_AND_WORST
    )


def _by_rounds(dataset: str, method: str) -> tuple[Numbers, ...]:
    """Ours after each number of rounds, and the paper's, which stands beside all of them."""
    ours = [
        Numbers(_ROUNDS, dataset, (method,), _after(number), separator=" / ")
        for number in (200, 1000, 2000)
    ]
    return (*ours, dataclasses.replace(ours[0], shown=Shown.PAPER))


PAGE_TABLES = (
    PageTable(
        name="fedfa/table2",
        header=("data set", "method", *_FAIRNESS_COLUMNS),
        rows=tuple(
            (dataset, method, *_fairness(_TABLE_2, dataset, method))
            for dataset in SYNTHETIC
            for method in (*_IN_THE_PAPERS_TABLE, _FED_FA_MO, "FedFa-mo, n_i", _FED_FA)
        ),
    ),
    _table_of_controls(
        "fedfa/controls",
        (
            ("FedAvg, by examples", "0.01", "FedAvg"),
            ("FedAvg, by examples", "0.001", "FedAvg at 0.001"),
            ("FedAvg, by examples", "0.0001", "FedAvg at 0.0001"),
            ("equal weights", "0.01", "uniform"),
            ("equal weights", "0.001", "uniform at 0.001"),
            ("equal weights", "0.0001", "uniform at 0.0001"),
            ("equal weights, both momenta", "0.0001", "uniform, both momenta"),
            ("FedFa", "0.0001", _FED_FA),
        ),
    ),
    _table_of_controls(
        "fedfa/left_out_of_table2",
        (
            ("FedNova, 5 epochs", "0.001", "FedNova at 0.001"),
            ("SCAFFOLD", "0.0001", "SCAFFOLD at 0.0001"),
            ("FedFa", "0.0001", _FED_FA),
        ),
    ),
    PageTable(
        name="fedfa/losses",
        header=("data set", "rate", *_BASELINES, _FED_FA_MO),
        rows=tuple(_losses(dataset, rate) for dataset in HETEROGENEOUS for rate in _CURVES),
    ),
    PageTable(
        name="fedfa/letters",
        header=("method", *_FAIRNESS_COLUMNS),
        rows=tuple(
            (method, *_fairness(_LETTERS, "femnist", method))
            for method in (*_IN_THE_PAPERS_TABLE, _FED_FA_MO, _FED_FA)
        ),
    ),
    PageTable(
        name="fedfa/rounds",
        header=("data set", "method", "after 200", "1,000", "2,000", "paper"),
        rows=tuple(
            (dataset, method, *_by_rounds(dataset, method))
            for dataset in SYNTHETIC
            for method in (*_IN_THE_PAPERS_TABLE, _FED_FA)
        ),
    ),
)
