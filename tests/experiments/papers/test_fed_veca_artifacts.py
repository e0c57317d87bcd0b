from __future__ import annotations

from experiments.papers import catalogue

_SMALLER_IS_BETTER = {"test_loss_x100": ("loss_x100", True), "test_average": ("accuracy", False)}


def test_fed_veca_is_ahead_where_the_paper_has_it_ahead():
    """Of all but SCAFFOLD on MNIST, by loss and by accuracy; centralized SGD is no baseline."""
    claimed = {
        (claim.artifact, claim.datasets[0], claim.metric.key, claim.worse)
        for claim in catalogue.claims()
        if claim.artifact.startswith("fedveca/table1")
        and (claim.better, claim.kind) == ("FedVeca", "better")
    }
    expected = {
        (name, dataset, key, method)
        for name in ("fedveca/table1_svm", "fedveca/table1_cnn")
        for values in [catalogue.artifacts()[name].paper_values()]
        for dataset, method, column in values
        for key, (of_key, is_smaller_better) in _SMALLER_IS_BETTER.items()
        if column == of_key and method not in ("FedVeca", "centralized SGD")
        if values[dataset, method, column] != values[dataset, "FedVeca", column]
        if (values[dataset, "FedVeca", column] < values[dataset, method, column])
        is is_smaller_better
    }
    assert claimed == expected
