"""The interval in which a mean over the seeds lies."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import stats

CONFIDENCE = 0.95


def t_interval(values: Iterable[float]) -> tuple[float, float] | None:
    """Returns Student's interval of the mean, at `CONFIDENCE`.

    Args:
        values: A number for each seed.

    Returns:
        Its ends; None for fewer than two values.
    """
    found = np.array([*values])
    if len(found) < 2:
        return None
    if np.ptp(found) == 0:  # No variance, for which SciPy returns no numbers.
        return float(found[0]), float(found[0])
    low, high = stats.t.interval(
        CONFIDENCE, len(found) - 1, loc=np.mean(found), scale=stats.sem(found)
    )
    return float(low), float(high)
