"""What our own comparisons show, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding
from experiments.papers.beyond.claims import CLAIMS

FINDINGS = (
    Finding(
        "After 50 rounds at each of three client rates, no gain of the weights of FedFa, FedAdp "
        "and FedCav alone, over equal ones, in the worst 20 % of the clients, is beyond the noise "
        "of three seeds. After 200 rounds on synthetic(1, 1) at 0.01, FedCav's is.",
        tuple(claim.name for claim in CLAIMS if "_over_uniform_at_" in claim.name),
    ),
    Finding(
        "After 100 rounds of a linear model clients fare better with FedAvg than alone on IID "
        "data, with even labels and on letters, and worse where each has a rule or few labels of "
        "its own (synthetic(α, β), Dirichlet 0.1); with FedFa the 20 % that gain least fare worse "
        "than alone on all ten data sets.",
        tuple(claim.name for claim in CLAIMS if "_over_alone" in claim.name),
    ),
)
