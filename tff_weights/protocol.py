"""What the clients and the server of a paper's algorithm send each other."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Protocol:
    """What one client receives and sends in one round of a paper's algorithm.

    Attributes:
        models_down: How many vectors of the model's size the server sends, including the model.
        models_up: How many the client sends.
        scalars_down: How many single numbers the server sends.
        scalars_up: How many the client sends.
    """

    models_down: int = 1
    models_up: int = 1
    scalars_down: int = 0
    scalars_up: int = 0
