"""What two runs of one configuration differ in, to the last digit of every number."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.runs.record import RunRecord

_ACCURACIES = ("train_accuracy", "test_accuracy")


@dataclasses.dataclass(frozen=True)
class Difference:
    """One quantity that two runs have different numbers of.

    Attributes:
        quantity: A column of the rounds or of the clients, or a metric of the result.
        relative: The largest difference of two numbers, as a fraction of the larger one's absolute
            value, at most 2; infinite where one of them is no finite number.
        first_round: The first round in which they differ; None for what is measured after the last.
    """

    quantity: str
    relative: float
    first_round: int | None = None


def differences(ours: RunRecord, theirs: RunRecord) -> list[Difference]:
    """Compares a run with a committed one, of which fewer columns may be kept.

    Clock times are not compared.

    Args:
        ours: The run.
        theirs: The committed run.

    Returns:
        One for every quantity of the committed run that the other has not the same numbers of, the
        largest first: the columns of its rounds, the accuracies of its clients, and its result.
    """
    found = [
        *_of_rounds(ours.rounds, theirs.rounds),
        *_of_clients(ours.clients, theirs.clients),
        *_of_result(ours, theirs),
    ]
    return sorted(found, key=lambda difference: -difference.relative)


def sentence(found: Sequence[Difference]) -> str:
    """Says in one line how two runs compare."""
    if not found:
        return "equal to the last digit"
    rounds = [each.first_round for each in found if each.first_round is not None]
    since = f"from round {min(rounds)} on" if rounds else "after the last round"
    worst = found[0]
    by = (
        "where one has no finite number"
        if math.isinf(worst.relative)
        else f"by {worst.relative:.1e}"
    )
    number = "1 quantity" if len(found) == 1 else f"{len(found)} quantities"
    return f"differs {since} in {number}, most in {worst.quantity}, {by}"


def _of_rounds(ours: pd.DataFrame, theirs: pd.DataFrame) -> Iterator[Difference]:
    ours = ours.set_index("round").reindex(columns=theirs.columns.drop("round"))
    theirs = theirs.set_index("round")
    rounds = ours.index.union(theirs.index)
    ours, theirs = ours.reindex(rounds), theirs.reindex(rounds)
    for column in theirs.columns:
        apart = np.asarray(
            [
                _apart(_numbers(one), _numbers(other))
                for one, other in zip(ours[column], theirs[column])
            ]
        )
        if apart.any():
            yield Difference(column, float(apart.max()), int(rounds[apart > 0][0]))


def _of_clients(ours: pd.DataFrame, theirs: pd.DataFrame) -> Iterator[Difference]:
    ours, theirs = ours.set_index("client_id"), theirs.set_index("client_id")
    clients = ours.index.union(theirs.index)
    for column in _ACCURACIES:
        apart = _apart(*(table[column].reindex(clients).to_numpy() for table in (ours, theirs)))
        if apart:
            yield Difference(f"clients' {column}", apart)


def _of_result(ours: RunRecord, theirs: RunRecord) -> Iterator[Difference]:
    for name, number in theirs.result.items():
        apart = _apart(_numbers(ours.result.get(name)), _numbers(number))
        if apart:
            yield Difference(f"result's {name}", apart)


def _numbers(cell: object) -> npt.NDArray[np.float64]:
    """Returns a cell's numbers; those of participants are a list as text, and none is none."""
    content: object = json.loads(cell) if isinstance(cell, str) else cell
    numbers: Iterable[object] = content if isinstance(content, list) else [content]
    return np.asarray([math.nan if each is None else each for each in numbers], np.float64)


def _apart(ours: npt.NDArray[np.float64], theirs: npt.NDArray[np.float64]) -> float:
    """Returns the largest relative difference of two arrays."""
    if ours.shape != theirs.shape or (np.isnan(ours) != np.isnan(theirs)).any():
        return math.inf
    differ = (ours != theirs) & ~np.isnan(ours)
    if not differ.any():
        return 0.0
    one, other = ours[differ], theirs[differ]
    with np.errstate(invalid="ignore"):  # Two infinities, of which one is negative.
        relative = np.abs(one - other) / np.maximum(np.abs(one), np.abs(other))
    return float(np.nan_to_num(relative, nan=math.inf).max())
