"""What our runs show of FedCav, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding

FINDINGS = (
    Finding(
        "FedCav's audit finds a replaced model in the next round and restores the one before; "
        "without it the model stays lost for many rounds.",
        ("fedcav/audit_helps", "fedcav/audit_recovers"),
    ),
)
