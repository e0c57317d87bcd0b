"""What our own comparisons show, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding
from experiments.papers.beyond.claims import CLAIMS

FINDINGS = (
    Finding(
        "After 50 rounds at each of three client rates, the weights of FedFa, FedAdp, FedCav and "
        "WeiAvg alone are hardly ever beyond the noise of three seeds ahead of equal ones in the "
        "worst 20 % of the clients on synthetic(1, 1) and MNIST. On Fashion-MNIST, where half of "
        "FedAdp's nodes have one class, the entropy of the labels gains 9 and 21 points at the two "
        "larger rates, and the others 1 to 3 at some.",
        tuple(claim.name for claim in CLAIMS if "_over_uniform_at_" in claim.name),
    ),
    Finding(
        "After 100 rounds of a linear model clients fare better with FedAvg than alone on IID "
        "data, with even labels and on letters, and worse where each has a rule or few labels of "
        "its own (synthetic(α, β), Dirichlet 0.1); with FedFa the 20 % that gain least fare worse "
        "than alone on ten of eleven data sets, and not where they are tested on digits that they "
        "never see alone.",
        tuple(claim.name for claim in CLAIMS if "_over_alone" in claim.name),
    ),
)
