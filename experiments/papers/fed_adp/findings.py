"""What our runs show of FedAdp, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding, Headline
from experiments.papers.fed_adp.artifacts import MIXES, OTHER_MIXES
from experiments.papers.fed_adp.claims import CLAIMS, slug

HEADLINE = Headline(
    claim=(
        "Nodes weighed by their gradient's angle to the mean one need as few as half of FedAvg's "
        "rounds."
    ),
    holds=(
        "The angle tells nodes of one class from IID ones; FedAdp is faster than FedAvg on all "
        "mixes, with logistic regression and, two or three seeds, the CNN."
    ),
    fails=(
        "Its rounds to 95 % on MNIST: with pixels divided by 255 both take more. To 80 % on "
        "Fashion-MNIST one seed saves 12 to 26 %, not 20 to 45 %; another hardly gets there."
    ),
    decides="How pixels are scaled and which classes nodes draw: both are left open.",
)

FINDINGS = (
    Finding(
        "The angle between a node's gradient and the global one tells nodes of one class from "
        "nodes of all classes, and those of two in the mean, which is what FedAdp weighs by.",
        ("fedadp/angles",),
    ),
    Finding(
        "With FedAvg five IID nodes take 72 to 127 rounds to 95 % alone, and 170 or more than 200 "
        "with five nodes of one class beside them, beyond the noise of three seeds; beside three "
        "IID nodes, seven of one class slow it down more than seven of two with one seed, and less "
        "with another, whose nodes lack other digits. For 200 rounds the three are better off "
        "alone (one seed).",
        tuple(claim.name for claim in CLAIMS if claim.artifact == "fedadp/fig1"),
    ),
    Finding(
        "With logistic regression FedAdp is ahead of FedAvg on every mix of nodes with every seed, "
        "beyond their noise but for one mix on Fashion-MNIST; on most the lead is largest early in "
        "the training.",
        tuple(f"fedadp/ahead_mlr_{slug(mix)}" for mix in MIXES),
    ),
    Finding(
        "With its CNN on its main mix FedAdp takes 40 to 46 % of FedAvg's rounds to 90 % with "
        "every seed, and its local gradients diverge a little less; both take more rounds to 95 % "
        "than the paper has: within 200 FedAdp reaches it with two seeds of three, FedAvg with "
        "one. With normalized pixels, of which the paper says nothing, both take half of the "
        "rounds or fewer (fedadp/readings, one seed); whether convolutions are padded changes "
        "next to nothing.",
        (
            "fedadp/faster_mnist_5_5_1",
            "fedadp/faster_to_90_5_5_1",
            "fedadp/less_divergence_cnn",
            "fedadp/less_divergence_mlr",
        ),
    ),
    Finding(
        "FedAdp is ahead of FedAvg on all six mixes of MNIST with two or three seeds, with 37 to "
        "59 % of its rounds to 90 %, beyond their noise on the three mixes with nodes of one "
        "class; where nodes have 1 to 10 classes it takes 58 to 80 % of them (two seeds), beyond "
        "their noise in one of two cases. With one class per non-IID node it saves as many of them "
        "as with two, where the paper says more, and more of those to 94 % (two seeds). To the "
        "paper's 95 % it takes fewer rounds, beyond the noise of two seeds, with four nodes of one "
        "class; on most other mixes one or both do not get there within our 100 or 200 rounds.",
        (
            "fedadp/general_cases",
            "fedadp/general_cases_to_90",
            *(
                f"fedadp/faster_{target}_{slug(mix)}"
                for target in ("mnist", "to_90")
                for mix in OTHER_MIXES
            ),
            "fedadp/more_skew",
            "fedadp/more_skew_to_90",
        ),
    ),
    Finding(
        "In the main case of MNIST a larger α is faster up to 4 or 5, and from there to 8 all are "
        "alike, where the paper has found 5 to be the best (one seed; with another, too, 1 is "
        "slower than 5, and 8 is not).",
        (
            "fedadp/alpha",
            "fedadp/alpha_to_90",
            "fedadp/best_alpha",
            "fedadp/best_alpha_to_90",
        ),
    ),
    Finding(
        "On Fashion-MNIST FedAdp is ahead of FedAvg on all six mixes as well, with two seeds each "
        "and three on its main mix: it saves 33 to 67 % of FedAvg's rounds to 70 % with the first, "
        "35 to 55 % with the second, where both get there (five mixes). The second draws other "
        "classes for the nodes, and costs both up to 10 points: to the paper's 80 % FedAdp saves "
        "12 to 26 % with the first seed (four mixes; the paper: 20 to 45 %), with the second it "
        "gets there on one mix and FedAvg on none. On the main mix FedAdp gets to 80 % with one "
        "seed of three and FedAvg with none, where the paper has 125 and 222 rounds. With seven "
        "nodes of one class neither does, nor in the paper, and FedAdp's best is 2.4 points "
        "higher, beyond the noise of two seeds.",
        tuple(claim.name for claim in CLAIMS if claim.datasets == ("fashion_mnist_x_class",)),
    ),
)
