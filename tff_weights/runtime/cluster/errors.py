"""What can go wrong with a cluster, and with nothing else."""

from __future__ import annotations


class ClusterError(RuntimeError):
    """An actor of the cluster is lost; the message says which, and what to do."""
