"""The row of the papers' Table 1 as text, beside what the data set's source says."""

from __future__ import annotations

from leaf_data.federated_dataset import DocumentedStatistics
from leaf_data.statistics import Statistics

_COLUMNS = {
    "clients": "num_clients",
    "samples": "num_samples",
    "mean": "mean_samples_per_client",
    "standard deviation": "stdev_samples_per_client",
}


def table_1(measured: Statistics, documented: DocumentedStatistics | None) -> str:
    """Returns clients, samples, and samples per client (mean and standard deviation)."""
    lines = [["", *_COLUMNS]]
    for label, row in ((measured.name, measured), ("documented", documented)):
        if row is not None:
            numbers = (getattr(row, column) for column in _COLUMNS.values())
            lines.append([label, *("–" if n is None else _text(n) for n in numbers)])
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )


def _text(number: float) -> str:
    return f"{number:,.2f}".rstrip("0").rstrip(".")
