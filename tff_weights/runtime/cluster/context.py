"""A TFF execution context that spreads the clients over a Ray cluster."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.runtime.cluster.cohort import RayCohort, RemoteComputation
from tff_weights.runtime.cluster.hosts import Hosts
from tff_weights.runtime.cluster.options import ClusterOptions
from tff_weights.runtime.cluster.placement import Placement
from tff_weights.runtime.cluster.traffic import Traffic
from tff_weights.runtime.program.context import MakeCohort, ProgramContext


class ClusterContext(ProgramContext):
    """Executes computations as `ProgramContext` does, but the clients' part in a cluster's actors.

    A computation is sent to an actor once, and a client's data set once as long as it lives in this
    program.
    """

    def __init__(self, options: ClusterOptions):
        """Starts the actors, and a cluster if none is given; does not wait for the actors.

        Args:
            options: The options.

        Raises:
            ConnectionError: If there is no cluster at the address.
            ValueError: If nothing answers there, the cluster is too small, or a GPU is wanted and
                TensorFlow sees none.
        """
        super().__init__(options.program)
        self._hosts = Hosts(options)
        self._placement = Placement(self._hosts)

    @property
    def traffic(self) -> Traffic:
        """What was moved so far."""
        return self._hosts.traffic

    def close(self) -> None:
        """Ends the actors, and with them a cluster of this program's own."""
        super().close()
        self._hosts.close()

    def _cohorts_of(self, block: tff.framework.ComputationBuildingBlock) -> MakeCohort:
        computation = RemoteComputation(block, self._hosts)
        return lambda size, call: RayCohort(
            size,
            computation=computation,
            hosts=self._hosts,
            placement=self._placement,
            check=call.raise_if_given_up,
        )
