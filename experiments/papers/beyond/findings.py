"""What our own comparisons show, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding
from experiments.papers.beyond.claims import CLAIMS

FINDINGS = (
    Finding(
        "After 100 rounds at any of three client rates, the weights of FedFa, FedAdp and FedCav "
        "alone, without their papers' momenta and rates, serve the worst 20 % of the clients no "
        "better than equal weights do, beyond seed noise.",
        tuple(claim.name for claim in CLAIMS if "_over_uniform_at_" in claim.name),
    ),
)
