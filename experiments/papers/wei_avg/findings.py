"""What our runs show of WeiAvg, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding

FINDINGS = (
    Finding(
        "On MNIST, in our reading of its partition, the projection of a client's updates on the "
        "mean update is at most weakly correlated with the entropy of its labels, with FedAvg and "
        "with WeiAvg.",
        ("weiavg/correlated_fed_avg", "weiavg/correlated_wei_avg"),
    ),
    Finding(
        "Weighing by projection gains nothing after 50 rounds: a λ up to 0.1 is level with FedAvg, "
        "1 is behind it with every seed, and with 10 nothing is learned.",
        (
            "weiavg/best_lambda_projection",
            *(f"weiavg/lambda_{exponent}_projection" for exponent in ("0_0001", "0_1", "1", "10")),
        ),
    ),
    Finding(
        "Weighing by entropy gains a little: λ = 0.1 is about a point ahead of FedAvg after 50 "
        "rounds with every seed; the lead of 1 is within the noise of the seeds, and 10 is behind "
        "with every seed.",
        (
            "weiavg/best_lambda_entropy",
            *(f"weiavg/lambda_{exponent}_entropy" for exponent in ("0_0001", "0_1", "1", "10")),
        ),
    ),
)
