"""A data set's figures: the sizes of its clients and their labels."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from leaf_data.client_data import client_examples
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.statistics import samples_per_client

_NUM_BINS = 30
_MOST_COLUMNS = 100
# Where the columns of a histogram of shares begin and end, in percent.
_SHARE_LIMITS = range(0, 101, 10)


def draw_sizes(dataset: FederatedDataset) -> Figure:
    """Draws how many clients have how many samples, train and test together."""
    sizes = samples_per_client(dataset)
    figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
    if sizes.max() > 10 * max(1, sizes.min()):
        # Bins of equal width would put nearly all clients into the first.
        edges = np.geomspace(max(1, sizes.min()), sizes.max() + 1, _NUM_BINS + 1)
        axis.hist(np.maximum(sizes, 1), bins=list(edges))
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(ScalarFormatter())
    else:
        least, most = int(sizes.min()), int(sizes.max())
        axis.hist(sizes, bins=min(_NUM_BINS, most - least + 1), range=(least - 0.5, most + 0.5))
        axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axis.xaxis.set_major_formatter(ScalarFormatter(useOffset=False))
    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    axis.axvline(sizes.mean(), color="k", linestyle="--", label=f"mean {sizes.mean():,.1f}")
    axis.set_title(f"{dataset.name}: {len(sizes):,} clients, {sizes.sum():,} samples")
    axis.set_xlabel("samples of a client, train and test")
    axis.set_ylabel("clients")
    axis.legend()
    return figure


def draw_labels(dataset: FederatedDataset) -> Figure:
    """Draws the shares of the labels that clients train on.

    Up to 100 clients have a column each. For more clients, bars show how many lack each label, and
    colours beside them show how many have which share of it.

    Raises:
        ValueError: If the labels are not class indices.
    """
    shares = label_shares(dataset)
    figure = plt.figure(figsize=(9, 4), layout="constrained")
    draw = _draw_each_client if len(shares) <= _MOST_COLUMNS else _draw_numbers_of_clients
    first = draw(figure, shares)
    first.yaxis.set_major_locator(MaxNLocator(integer=True))
    first.set_ylabel("label")
    figure.suptitle(f"{dataset.name}: labels that {len(shares):,} clients train on")
    return figure


def _draw_each_client(figure: Any, shares: npt.NDArray[np.float64]) -> Any:
    axis = figure.subplots()
    image = _draw_colours(axis, 100 * shares.T, most=100)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("client")
    figure.colorbar(image, label="share of the client's training samples, %")
    return axis


def _draw_numbers_of_clients(figure: Any, shares: npt.NDArray[np.float64]) -> Any:
    """Nearly all clients lack a given label. On one scale with them, all others would be dark."""
    clients = 100 * share_histogram(shares)
    bars, axis = figure.subplots(1, 2, sharey=True, width_ratios=(1, 3))
    bars.barh(np.arange(len(clients)), clients[:, 0], height=1, edgecolor="w", color="0.6")
    bars.set_xlim(0, 100)
    bars.set_xlabel("clients without the label, %")
    of_others = clients[:, 1:]
    image = _draw_colours(axis, of_others, most=of_others.max())
    axis.set_xticks(np.arange(of_others.shape[1] + 1) - 0.5, _SHARE_LIMITS)
    axis.set_xlabel("share of the client's training samples, %")
    figure.colorbar(image, label="clients with such a share, %")
    return bars


def _draw_colours(axis: Any, colours: npt.NDArray[np.float64], *, most: float) -> Any:
    cells = {"aspect": "auto", "origin": "lower", "interpolation": "nearest", "cmap": "viridis"}
    return axis.imshow(colours, vmin=0, vmax=most, **cells)


def share_histogram(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Counts clients by the share that a label has of their samples.

    Args:
        shares: `[num_clients, num_classes]`, as `label_shares` returns them.

    Returns:
        `[num_classes, 11]`: for each label the share of the clients without it, then of those with
        up to 10 % of it among their samples, then above 10 up to 20 %, and so on.
    """
    # Rounded up, and from a little below: 0.1 + 0.2 is not 0.3.
    tenths = np.ceil(10 * shares - 1e-9).astype(int)
    columns = [np.mean(tenths == tenth, axis=0) for tenth in range(11)]
    return np.stack(columns, axis=1)


def label_shares(dataset: FederatedDataset) -> npt.NDArray[np.float64]:
    """Counts labels per client, for training alone.

    If a paper divides the official test set among the clients, their test samples have all labels
    and would hide the differences.

    Returns:
        `[num_clients, num_classes]`, each row summing to 1, or to 0 for a client without any.

    Raises:
        ValueError: If the labels are not class indices.
    """
    if dataset.num_classes is None:
        raise ValueError(f"the labels of data set {dataset.name!r} are not class indices")
    counts = np.zeros((dataset.num_clients, dataset.num_classes))
    for row, client_id in zip(counts, dataset.client_ids):
        labels = np.ravel(client_examples(dataset.train, client_id)["y"])
        is_class = (labels >= 0) & (labels < dataset.num_classes)  # Others are of no class.
        row += np.bincount(labels[is_class], minlength=dataset.num_classes)
    totals = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
