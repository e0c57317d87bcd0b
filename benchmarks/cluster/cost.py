"""A model of what a round over actors takes, and of when it pays."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Round(NamedTuple):
    """A round of FedAvg.

    Attributes:
        clients: The clients in the cohort, which all compute equally long.
        model_bytes: The size of the model.
        computing: What the round computes, in seconds of one processor.
    """

    clients: int
    model_bytes: int
    computing: float

    def least_bytes(self, actors: int) -> int:
        """Returns the least bytes: the model to each actor, and the sum of its clients back."""
        return 2 * actors * self.model_bytes

    def longest(self, actors: int) -> float:
        """Returns the processor seconds of the actor with the most clients."""
        return self.computing * math.ceil(self.clients / actors) / self.clients


class Observation(NamedTuple):
    """A round that was measured.

    Attributes:
        round: The round.
        actors: Over how many actors.
        seconds: How long it took.
    """

    round: Round
    actors: int
    seconds: float


@dataclasses.dataclass(frozen=True)
class CostModel:
    """What a round takes beside computing, which actors do at the same time.

    seconds = fixed + per_actor · actors + (per_byte + per_actor_byte · actors) · model_bytes
              + processor seconds of the actor with the most clients

    Each actor has a processor of its own, and the bytes are the least possible.

    Attributes:
        fixed: Seconds of a round.
        per_actor: Seconds more for each actor.
        per_byte: Seconds for each byte of the model, counted once. All actors do this work at the
            same time, or the program does it once for all of them.
        per_actor_byte: Seconds for each byte and actor: the program serves them one by one.
    """

    fixed: float
    per_actor: float
    per_byte: float
    per_actor_byte: float

    @classmethod
    def fit(cls, observations: Iterable[Observation]) -> CostModel:
        """Returns the model with the least squares of relative errors.

        Args:
            observations: At least four, of at least two sizes and two numbers of actors.

        Raises:
            ValueError: If they do not determine the model.
        """
        rows, left = [], []
        for each in observations:
            size = each.round.model_bytes
            terms = (1.0, each.actors, size, size * each.actors)
            rows.append(np.divide(terms, each.seconds))
            left.append(1.0 - each.round.longest(each.actors) / each.seconds)
        table = np.reshape(rows, [-1, 4])
        scale = np.linalg.norm(table, axis=0) + np.finfo(float).tiny
        found, _, rank, _ = np.linalg.lstsq(table / scale, left, rcond=1e-9)
        if rank < 4:
            raise ValueError("observations must have two sizes, each with two numbers of actors")
        return cls(*map(float, found / scale))

    def overhead(self, each: Round, actors: int, *, bits_per_second: float = math.inf) -> float:
        """Returns the seconds of a round that are not computing.

        Args:
            each: The round.
            actors: Over how many actors.
            bits_per_second: Of the program's network, through which all bytes go.
        """
        per_byte = self.per_byte + self.per_actor_byte * actors
        in_network = 8 * each.least_bytes(actors) / bits_per_second
        return self.fixed + self.per_actor * actors + per_byte * each.model_bytes + in_network

    def seconds(self, each: Round, actors: int, *, bits_per_second: float = math.inf) -> float:
        """Returns the seconds of a round; see `overhead`."""
        overhead = self.overhead(each, actors, bits_per_second=bits_per_second)
        return overhead + each.longest(actors)

    def least_computing(
        self, each: Round, actors: int, *, as_fast_as: float, bits_per_second: float = math.inf
    ) -> float:
        """Returns from how many processor seconds on actors are as fast as so many processors.

        It is infinite where actors are never as fast.

        Args:
            each: The round, whose own computing does not count.
            actors: See `overhead`.
            as_fast_as: Processors that compute the round without any overhead.
            bits_per_second: See `overhead`.
        """
        won = 1 / as_fast_as - each._replace(computing=1.0).longest(actors)
        if won <= 0:
            return math.inf
        return self.overhead(each, actors, bits_per_second=bits_per_second) / won
