"""The size of one round."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Workload:
    """The size of one round; every number is at least 1.

    Attributes:
        clients: Clients in the cohort.
        examples: Examples of each client.
        epochs: Local epochs; None where `steps` is given.
        batch_size: Examples per local step.
        steps: Local steps of each client; None where `epochs` is given.
        population: Clients in all; None where there are no others than the cohort.
    """

    clients: int
    examples: int
    epochs: int | None
    batch_size: int
    steps: int | None = None
    population: int | None = None

    def __post_init__(self) -> None:
        """Checks what a flag can choose; its own range is the flag's.

        Raises:
            ValueError: If both or none of `epochs` and `steps` are given, or the cohort is larger
                than the population.
        """
        if (self.epochs is None) == (self.steps is None):
            raise ValueError(
                f"one of epochs and steps must be given, got epochs={self.epochs} and "
                f"steps={self.steps}"
            )
        if self.clients > self.num_clients:
            raise ValueError(
                f"clients must be at most the population of {self.population}, got {self.clients}"
            )

    @property
    def num_clients(self) -> int:
        """The clients in all."""
        return self.clients if self.population is None else self.population

    @property
    def steps_per_epoch(self) -> int:
        """A client's batches; the last one may be smaller."""
        return -(-self.examples // self.batch_size)

    @property
    def client_steps(self) -> int:
        """The local steps of one client."""
        return self.steps or (self.epochs or 0) * self.steps_per_epoch

    def resized(self, **sizes: Any) -> Workload:
        """Returns the workload with other sizes; `epochs` take the place of `steps` and vice versa.

        Raises:
            ValueError: As at the start.
        """
        if sizes.keys() & {"epochs", "steps"}:
            sizes = {"epochs": None, "steps": None, **sizes}
        return dataclasses.replace(self, **sizes)

    def __str__(self) -> str:
        """Returns the sizes in words."""
        of_all = "" if self.population is None else f" of {self.population:,}"
        how_long = f"steps: {self.steps}" if self.epochs is None else f"epochs: {self.epochs}"
        return (
            f"clients: {self.clients}{of_all}, examples each: {self.examples}, {how_long}, "
            f"batches of {self.batch_size}; {self.clients * self.client_steps:,} steps a round"
        )
