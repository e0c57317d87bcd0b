"""The interval in which a mean over the seeds lies."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy import stats

CONFIDENCE = 0.95


def t_interval(
    values: Iterable[float], *, least_deviation: float = 0.0
) -> tuple[float, float] | None:
    """Returns Student's interval of the mean, at `CONFIDENCE`.

    Args:
        values: A number for each seed.
        least_deviation: What the values' standard deviation counts as at least, such as
            `rounding_deviation`: numbers that agree because they are rounded show no certainty.

    Returns:
        Its ends; None for fewer than two values.
    """
    found = np.array([*values])
    if len(found) < 2:
        return None
    # The mean of equal numbers may differ from them in the last digit.
    deviation = max(np.std(found, ddof=1) if np.ptp(found) else 0.0, least_deviation)
    if deviation == 0:  # Of which SciPy returns no numbers.
        return float(found[0]), float(found[0])
    low, high = stats.t.interval(
        CONFIDENCE, len(found) - 1, loc=np.mean(found), scale=deviation / math.sqrt(len(found))
    )
    return float(low), float(high)


def rounding_deviation(*steps: float) -> float:
    """Returns the standard deviation that rounding alone gives a difference.

    Args:
        steps: Of each of the numbers subtracted, by how much it is apart from the next one that it
            can be; 0 for one that is not rounded.

    Returns:
        Of errors that are even over a step, `step / √12` each (Sheppard's correction), and
        independent of one another.
    """
    return math.sqrt(sum(step**2 for step in steps) / 12)
