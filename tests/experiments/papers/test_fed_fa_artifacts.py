from __future__ import annotations

from experiments.papers import catalogue


def test_a_claim_of_the_paper_is_true_of_its_own_numbers():
    """What the paper says in words must be in its tables, on the data sets that it is said of."""
    num_checked = 0
    for claim in catalogue.papers()["fedfa"].claims:
        artifact = catalogue.artifacts()[claim.artifact]
        values = artifact.paper_values()
        columns = {metric.key: metric.paper_column for metric in artifact.metrics}
        if not values:
            continue
        for dataset in claim.datasets or artifact.datasets:
            column = columns[claim.metric.key]
            better = values[dataset, claim.better, column]
            worse = values[dataset, claim.worse, column]
            assert (better < worse) == claim.metric.smaller_is_better, (claim.name, dataset)
            num_checked += 1
    assert num_checked > 10
