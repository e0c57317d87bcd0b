"""The errors of a runtime on a cluster."""

from __future__ import annotations


class ClusterError(RuntimeError):
    """An actor of the cluster is lost, or the session with it closed.

    The message says which, and what to do about a lost actor.
    """
