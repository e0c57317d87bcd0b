"""The size of one round."""

from __future__ import annotations

import dataclasses


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
        """Checks every number.

        Raises:
            ValueError: If one is less than 1, both or none of `epochs` and `steps` are given, or
                the cohort is larger than the population.
        """
        for name, value in dataclasses.asdict(self).items():
            if value is not None and value < 1:
                raise ValueError(f"{name} must be an integer >= 1, got {value!r}")
        if (self.epochs is None) == (self.steps is None):
            raise ValueError(
                f"exactly one of epochs and steps must be given, got epochs={self.epochs} and "
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
        if self.epochs is not None:
            return self.epochs * self.steps_per_epoch
        return self.steps or 0  # One of the two is given.

    @property
    def local_steps(self) -> int:
        """The steps of all clients together."""
        return self.clients * self.client_steps

    def resized(self, **sizes: int) -> Workload:
        """Returns the workload with other sizes; `epochs` take the place of `steps` and vice versa.

        Raises:
            ValueError: As at the start.
        """
        if "epochs" in sizes and "steps" not in sizes:
            return dataclasses.replace(self, steps=None, **sizes)
        if "steps" in sizes and "epochs" not in sizes:
            return dataclasses.replace(self, epochs=None, **sizes)
        return dataclasses.replace(self, **sizes)

    def __str__(self) -> str:
        """Returns the sizes in words."""
        of_all = "" if self.population is None else f" of {self.population:,}"
        duration = (
            _count(self.client_steps, "step")
            if self.epochs is None
            else _count(self.epochs, "epoch")
        )
        return (
            f"{_count(self.clients, 'client')}{of_all} x {self.examples} examples, {duration}, "
            f"batches of {self.batch_size}: {self.local_steps:,} local steps a round"
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
