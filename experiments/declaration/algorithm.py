"""What an algorithm is to the experiments: its builder, and what its paper has clients send."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from experiments.declaration import builder as builders
from leaf_data import extensions
from tff_weights.protocol import Protocol

if TYPE_CHECKING:
    import tensorflow_federated as tff

# From the algorithm's hyperparameters to what they have a client receive and send.
ProtocolOf = Callable[[Mapping[str, Any]], Protocol]


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes:
        builder: Its builder, `(model, *, local_training, ...) → LearningProcess`, or `module:name`
            of it, which is imported when the algorithm is built. The run gives the arguments of
            `builder.OF_THE_RUN`; the others are its hyperparameters.
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
        color: In figures, as `#rrggbb`; by its name where it is None.
        marker: In figures, as Matplotlib names it; by its name where it is None.
    """

    builder: str | Callable[..., tff.learning.templates.LearningProcess]
    protocol: Protocol | ProtocolOf = Protocol()
    pools_clients: bool = False
    trains_alone: bool = False
    sets_its_steps: bool = False
    attacked: str | None = None
    color: str | None = None
    marker: str | None = None

    @functools.cached_property
    def build(self) -> Callable[..., tff.learning.templates.LearningProcess]:
        """The builder itself.

        Raises:
            ValueError: If it cannot be imported.
        """
        return extensions.load(self.builder) if isinstance(self.builder, str) else self.builder

    @functools.cached_property
    def hyperparameters(self) -> Mapping[str, builders.Argument]:
        """Its own hyperparameters by name, read off its builder's signature and docstring."""
        outline = extensions.outline(self.builder) if isinstance(self.builder, str) else None
        return builders.hyperparameters(outline or self.build)

    @property
    def is_federated(self) -> bool:
        """Whether clients and a server send each other anything."""
        return not (self.pools_clients or self.trains_alone)

    def protocol_for(self, hyperparameters: Mapping[str, Any]) -> Protocol:
        """Returns the protocol with these values of its hyperparameters."""
        return self.protocol(hyperparameters) if callable(self.protocol) else self.protocol
