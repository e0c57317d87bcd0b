"""What our runs show of WeiAvg, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding, Headline
from experiments.papers.wei_avg.claims import CLAIMS


def _on_lambda(by: str) -> tuple[str, ...]:
    """The claims on the best λ and on each of the sweep."""
    return tuple(
        claim.name for claim in CLAIMS if "lambda" in claim.name and claim.name.endswith(f"_{by}")
    )


HEADLINE = Headline(
    claim=(
        "The projection of a client's update on the mean one tells how diverse its labels are; "
        "weights by it beat FedAvg where labels are uneven."
    ),
    holds=(
        "Where every number of labels is as likely, weights by the labels' entropy gain about 1, "
        "4 and 5 points (last ten rounds) on MNIST, Fashion-MNIST and CIFAR-10."
    ),
    fails=(
        "The projection hardly follows the entropy, and weights by it gain nothing after 50 rounds "
        "as we divide labels."
    ),
    decides=(
        "Whether the entropies are known: the projections, their stand-ins, tell next to nothing "
        "of them."
    ),
)

FINDINGS = (
    Finding(
        "On MNIST and Fashion-MNIST, in our reading of their partition, the projection of a "
        "client's updates on the mean update is at most weakly correlated with the entropy of its "
        "labels, with FedAvg and with WeiAvg.",
        ("weiavg/correlated_fed_avg", "weiavg/correlated_wei_avg"),
    ),
    Finding(
        "Weighing by projection gains nothing after 50 rounds: on MNIST a λ up to 0.1 is level "
        "with FedAvg, 1 is behind it with every seed, and with 10 nothing is learned; on "
        "Fashion-MNIST nothing is learned with 10 (two seeds), nor with 1 by two seeds of three.",
        _on_lambda("projection"),
    ),
    Finding(
        "Weighing by entropy gains a little on MNIST: λ = 0.1 is about a point ahead of FedAvg "
        "after 50 rounds with every seed; the lead of 1 is within the noise of the seeds, and 10 "
        "is behind with every seed. On Fashion-MNIST, where weights that differ by less than "
        "0.03 % end up to 13 points apart in their best rounds, no λ up to 1 can be told from "
        "FedAvg, and 10 ends at a guess (two seeds).",
        _on_lambda("entropy"),
    ),
    Finding(
        "On Fashion-MNIST, however uneven its labels (p, three values), weighing by projection is "
        "not ahead: in the last of 50 rounds the differences lie within the noise of the seeds, "
        "and in the best of all rounds it is behind FedAvg with every seed. The more uneven the "
        "labels, the worse.",
        tuple(claim.name for claim in CLAIMS if claim.name.startswith("weiavg/skew_")),
    ),
    Finding(
        "Where every number of labels is as likely (p = 0), weighing by entropy is ahead of FedAvg "
        "in most rounds with every seed, on MNIST, Fashion-MNIST and, with two seeds, CIFAR-10, "
        "but the last round, by which the claims go, swings too much to decide. Weighing by "
        "projection, which does not grow with the entropy there either, is behind in most.",
        ("weiavg/even_correlated", "weiavg/even_entropy", "weiavg/even_projection"),
    ),
    Finding(
        "With one local epoch on Fashion-MNIST projection and entropy are correlated the wrong "
        "way round, weakly, and with ten hardly at all: r grows with every seed, from below 0.",
        ("weiavg/epochs",),
    ),
    Finding(
        "FedProx's pull changes next to nothing on MNIST: without WeiAvg, and with it by entropy, "
        "every seed is within a third of a point of where it is without; by projection the "
        "difference is within the noise of the seeds, and so are all on Fashion-MNIST.",
        tuple(claim.name for claim in CLAIMS if "fed_prox" in claim.name),
    ),
)
