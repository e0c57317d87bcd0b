from __future__ import annotations

from leaf_data.description.table import table_1
from leaf_data.federated_dataset import DocumentedStatistics
from leaf_data.statistics import Statistics

_MEASURED = Statistics(
    name="mnist",
    num_clients=1000,
    num_samples=69035,
    mean_samples_per_client=69.035,
    stdev_samples_per_client=106.5,
    min_samples_per_client=10,
    max_samples_per_client=1000,
    mean_labels_per_client=2.0,
    min_labels_per_client=2,
    max_labels_per_client=2,
)


def test_the_row_alone():
    assert table_1(_MEASURED, None) == (
        "       clients  samples   mean  standard deviation\n"
        "mnist    1,000   69,035  69.03               106.5"
    )


def test_what_the_source_says_is_beside_it():
    documented = DocumentedStatistics(
        num_clients=1000, num_samples=69035, mean_samples_per_client=69
    )
    lines = table_1(_MEASURED, documented).splitlines()
    assert lines[2] == "documented    1,000   69,035     69                   –"
    assert len({len(line) for line in lines}) == 1
