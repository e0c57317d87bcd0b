"""What our runs show of FedAdp, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding

FINDINGS = (
    Finding(
        "The angle between a node's gradient and the global one tells nodes of one or two classes "
        "from nodes of all classes, which is what FedAdp weighs by.",
        ("fedadp/angles",),
    ),
)
