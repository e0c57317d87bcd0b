"""What can go wrong with a runtime inside the program, and with nothing else."""

from __future__ import annotations


class UnsupportedComputationError(NotImplementedError):
    """A computation holds something that is not interpreted.

    Args:
        what: What it holds.
    """

    def __init__(self, what: str):
        super().__init__(
            f"{what} is not interpreted: run this computation in TFF's own context, with "
            "tff.backends.native.set_sync_local_cpp_execution_context()."
        )
