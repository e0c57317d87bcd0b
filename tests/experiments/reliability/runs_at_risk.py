"""The runs that are disturbed: their flags, and what of them must come out the same."""

from __future__ import annotations

import io
import pathlib

import numpy as np
import pandas as pd


def flags_of(algorithm: str, path: pathlib.Path, **settings: object) -> list[str]:
    """The flags of a run on synthetic_1_1, which continues if it was begun.

    A setting that is a tuple becomes as many flags.
    """
    pairs = (
        (name, value)
        for name, given in settings.items()
        for value in (given if isinstance(given, tuple) else (given,))
    )
    return [
        f"--algorithm={algorithm}",
        "--dataset=synthetic_1_1",
        f"--output_dir={path}",
        "--resume",
        *(f"--{name}={value}" for name, value in pairs),
    ]


def differing(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """Which of the tables differ, as faults."""
    return [f"{name} differs" for name in expected if found[name] != expected[name]]


def largest_difference(found: dict[str, bytes], expected: dict[str, bytes]) -> float:
    """By how much a number of the metrics differs at most; infinite if only one is a number."""
    ours, theirs = (
        pd.read_csv(io.BytesIO(one["metrics.csv"])).select_dtypes("number").to_numpy()
        for one in (found, expected)
    )
    same = np.isnan(ours) & np.isnan(theirs)
    return float(np.nan_to_num(np.where(same, 0.0, np.abs(ours - theirs)), nan=np.inf).max())
