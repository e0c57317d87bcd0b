"""Where a function stands in its computation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Origin:
    """The place by which another reader of the same computation finds one of its functions.

    Attributes:
        number: Its number among the functions of the computation, in the order of reading.
        captured: The values of the names that it takes from its surroundings.
    """

    number: int
    captured: Mapping[str, Any] = dataclasses.field(default_factory=dict)
