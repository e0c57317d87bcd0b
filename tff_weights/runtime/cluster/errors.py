"""What can go wrong with a cluster, and with nothing else."""

from __future__ import annotations


class ClusterError(RuntimeError):
    """An actor of the cluster is lost, or the session with it closed.

    The message says which, and of an actor what to do.
    """
