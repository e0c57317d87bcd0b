"""What our own comparisons show, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding
from experiments.papers.beyond.claims import CLAIMS

FINDINGS = (
    Finding(
        "After 50 rounds at each of three client rates, the weights of FedFa, FedAdp, FedCav and "
        "WeiAvg alone hardly ever beat equal ones beyond the noise of three seeds in the worst "
        "20 % of the clients on synthetic(1, 1) and MNIST (one of 30: WeiAvg's by projection on "
        "MNIST at 0.0001, where those by entropy are behind). On Fashion-MNIST, where half of "
        "FedAdp's nodes have one class and all are tested on all, the entropy of the labels gains "
        "9 and 21 points at the two larger rates, the weights of FedFa, FedAdp and FedCav 1 to 3 "
        "at some, those by projection nothing.",
        tuple(claim.name for claim in CLAIMS if "_over_uniform_at_" in claim.name),
    ),
    Finding(
        "After 100 rounds of a linear model clients fare better with FedAvg than alone on IID "
        "data, with even labels, on letters, and where few digits are trained on but all are "
        "tested (FedVeca's case 3 of MNIST); and worse where each is tested on a rule or few "
        "labels of its own (synthetic(α, β), Dirichlet 0.1); with FedFa the 20 % that gain least "
        "fare worse than alone on ten of eleven data sets, all but that case 3.",
        tuple(claim.name for claim in CLAIMS if "_over_alone" in claim.name),
    ),
)
