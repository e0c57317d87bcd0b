"""What an algorithm is to the experiments: its builder, and what its paper has clients send."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow_federated as tff

from experiments.declaration import builder
from tff_weights import Protocol

# From the algorithm's hyperparameters to what they have a client receive and send.
ProtocolOf = Callable[[Mapping[str, Any]], Protocol]


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes:
        build: Its builder: `(model, *, local_training, ...) → LearningProcess`. Arguments named
            `num_clients`, `variates_dir`, `correct_fn` and `wrap_client_work` are those of the
            run, if it has them; the others are its hyperparameters, see `builder.hyperparameters`.
        protocol: What its paper has a client receive and send in one round; numbers of examples,
            which do not change, are not counted.
        pools_clients: Whether it has no clients: its one data set holds the examples of all, and
            nothing is sent.
        trains_alone: Whether its clients never share anything: each has a model of its own, which
            is evaluated on its own examples, all have as many turns, see
            `runs.client_sampling.build_turns`, and nothing is sent.
        sets_its_steps: Whether its server decides how many local steps clients take, so that
            others are compared with it at the steps that it took.
        attacked: The algorithm that this one is under an attack of its own: it is drawn as that
            one, and no other one where all algorithms are compared.
    """

    build: Callable[..., tff.learning.templates.LearningProcess]
    protocol: Protocol | ProtocolOf = Protocol()
    pools_clients: bool = False
    trains_alone: bool = False
    sets_its_steps: bool = False
    attacked: str | None = None

    @functools.cached_property
    def hyperparameters(self) -> Mapping[str, builder.Argument]:
        """Its own hyperparameters by name, read off its builder's signature and docstring."""
        return builder.hyperparameters(self.build)

    @property
    def is_federated(self) -> bool:
        """Whether clients and a server send each other anything."""
        return not (self.pools_clients or self.trains_alone)

    def protocol_for(self, hyperparameters: Mapping[str, Any]) -> Protocol:
        """Returns the protocol with these values of its hyperparameters."""
        return self.protocol(hyperparameters) if callable(self.protocol) else self.protocol
