"""Local epochs that differ from client to client and from round to round."""

from __future__ import annotations

import dataclasses

from tff_weights.checks import SHARE, check_integer, check_number


@dataclasses.dataclass(frozen=True)
class UniformEpochs:
    """The number of passes over its data, which each client draws uniformly in every round.

    FedNova's clients take `E_i ~ U(2, 5)` epochs (Wang et al. 2020, section 6). FedProx' slow
    devices take `U(1, E)`, the others `E` (Li et al. 2020, section 5.2). With
    `UniformEpochs(1, 20, 0.9)` nine of ten clients draw. The draw depends on the seed, the round
    and the client alone.

    Attributes:
        least: At least 1.
        most: At least `least`.
        share: The probability with which a client draws in a round, in [0, 1]; else it takes
            `most`.
    """

    least: int
    most: int
    share: float = 1.0

    def __post_init__(self) -> None:
        """Checks every argument.

        Raises:
            ValueError: If one is out of range; the message names it.
        """
        check_integer("epochs.least", self.least, least=1)
        check_integer("epochs.most", self.most, least=self.least)
        check_number("epochs.share", self.share, SHARE)
