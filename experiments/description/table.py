"""The row of the papers' Table 1 as text, beside what the data set's source says."""

from __future__ import annotations

from leaf_data.federated_dataset import DocumentedStatistics
from leaf_data.statistics import Statistics


def table_1(measured: Statistics, documented: DocumentedStatistics | None) -> str:
    """Returns clients, samples, and samples per client (mean and standard deviation).

    Args:
        measured: What was counted.
        documented: What the source says, shown in a second row.
    """
    rows = [
        ("", "clients", "samples", "mean", "standard deviation"),
        (measured.name, *_numbers(measured)),
    ]
    if documented is not None:
        rows.append(("documented", *_numbers(documented)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0])]
            + [text.rjust(width) for text, width in zip(row[1:], widths[1:])]
        )
        for row in rows
    )


def _numbers(row: Statistics | DocumentedStatistics) -> tuple[str, ...]:
    means = (row.mean_samples_per_client, row.stdev_samples_per_client)
    return (
        f"{row.num_clients:,}",
        f"{row.num_samples:,}",
        *("–" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".") for value in means),
    )
