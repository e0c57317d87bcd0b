"""What an argument of `leaf_data` must not be given, by what it takes."""

from __future__ import annotations

import math

import numpy as np

NOT_NUMBERS = (math.nan, math.inf, -math.inf, "1", None, [1], True, 10**400)
NOT_WHOLE = (*NOT_NUMBERS, 0.5, 2.0, -1, 2**31)
NOT_COUNTS = (*NOT_WHOLE, 0)
NOT_SEEDS = (*(x for x in NOT_WHOLE if x not in (10**400, 2**31)),)
NOT_FRACTIONS = (*NOT_NUMBERS, 0, -0.1, 1.1)
NOT_SHAPES = (None, 3, "28x28", (), (28, 0), (28, -1), (28, 2.0), (True, 28), (math.nan, 28))
NOT_IMAGE_SHAPES = (*NOT_SHAPES, (28,), (28, 28, 3, 1))
NOT_TRUTH = (0, 1, "yes", None, math.nan)
NOT_NAMES = (3, "", True, math.nan, [])
NOT_PATHS = (3, "", True, math.nan, [])
NOT_PIXELS = (None, "unit", 255.0)
NOT_DTYPES = (None, "uint8", np.uint8)
NO_CHOICES = (3, None, "", "mnits")


def or_none(values):
    """What is refused where `None` is not."""
    return tuple(value for value in values if value is not None)
