"""How a value at clients is described to the hosts that have its parts."""

from __future__ import annotations

import dataclasses

from typing_extensions import TypeAlias


@dataclasses.dataclass(frozen=True)
class Held:
    """A host's value under a key: one for each of its clients, or one for all."""

    key: int


# A structure of what is held.
Plan: TypeAlias = "Held | tuple[Plan, ...]"
