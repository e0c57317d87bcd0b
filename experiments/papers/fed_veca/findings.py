"""What our runs show of FedVeca, for who reads nothing else."""

from __future__ import annotations

from experiments.declaration import Finding, Headline

HEADLINE = Headline(
    claim=(
        "A server that sets each client's number of steps by how its gradients vary learns faster "
        "than the baselines from as many steps."
    ),
    holds=(
        "With the support vector machine, if no round is rejected, it is level with the federated "
        "ones with five clients, and ahead of FedAvg and FedNova with fifty."
    ),
    fails=(
        "As its algorithm is written it comes to a stop early, and with the CNN on MNIST it is "
        "far behind."
    ),
    decides=(
        "By what its server accepts a round: the loss of the clients' own models, which can fall "
        "while that of the averaged one rises."
    ),
)

FINDINGS = (
    Finding(
        "As its Algorithm 1 is written, FedVeca with the support vector machine comes to a stop: "
        "the loss by which its server accepts a round is that of the clients' own models (eq. 4), "
        "which can fall while that of the averaged model rises, so that such rounds are accepted, "
        "and the ones after them, measured by it, are not.",
        (
            "fedveca/loss_svm_mnist_fedavg",
            "fedveca/accuracy_svm_mnist_fedavg",
            "fedveca/accuracy_svm_mnist_applying_all_over_fedveca",
            "fedveca/case_2_fedavg",
            "fedveca/fifty_clients_fedavg",
        ),
    ),
    Finding(
        "If its server rejects no round it is where the paper has it by accuracy, level with the "
        "federated baselines at the same number of steps with 5 clients, and ahead of FedAvg and "
        "FedNova, which are one there, with 50.",
        (
            "fedveca/loss_svm_mnist_applying_all_over_fedavg",
            "fedveca/loss_svm_mnist_applying_all_over_fednova",
            "fedveca/loss_svm_mnist_applying_all_over_fedprox",
            "fedveca/case_2_applying_all_over_fedavg",
            "fedveca/fifty_clients_applying_all_over_fedavg",
        ),
    ),
    Finding(
        "With its CNN on MNIST FedVeca is behind FedAvg, FedNova and FedProx after 30 of the "
        "paper's 100 rounds, half of which its server accepts, with both of two seeds, and still "
        "behind FedAvg if it rejects none; on CIFAR-10, with one seed, it accepts the first ten "
        "rounds and none after them.",
        (
            *(
                f"fedveca/{what}_cnn_mnist_{baseline}"
                for what in ("loss", "accuracy")
                for baseline in ("fedavg", "fednova", "fedprox")
            ),
            "fedveca/accuracy_cnn_cifar10_fedavg",
        ),
    ),
)
