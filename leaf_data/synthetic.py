"""Synthetic(α, β), FedProx's generated federated data set, and its Dirichlet variants.

Sources: Li et al., "Federated Optimization in Heterogeneous Networks", arXiv:1812.06127, section
5.1 and the authors' code; FedFa for the 80/20 split and the Dirichlet variants. Where the paper's
text and the authors' code differ, this is the code:

* α and β are standard deviations (the paper writes N(0, α), which could be read as a variance);
* the same `u_i` is the mean of both `W_i` and `b_i`;
* `n_i = ⌊lognormal(4, 2)⌋ + 50`: a heavy tail. Its mean is `e^6 ≈ 403` above the 50, but its median
  `e^4 ≈ 55`. One client in thirty often holds half of all samples, and the total differs between
  seeds by a factor of ten.

It follows that α changes no label: `u_i` adds the same `u_i (Σ_j x_j + 1)` to the logits of all
classes. Clients differ in `W_i` and `b_i` themselves, which are drawn for each client, and in the
centres of their features, which β spreads.

Decisions where the paper is silent:

* Every random quantity has its own stream, from the seed alone, and α and β only scale standard
  normal draws. So data sets of one seed differ only in β (and α): client sizes and noise are the
  same. `synthetic_iid` has the same sizes, too.
* Logits are computed in float64. The softmax does not change the argmax, so it is not computed.
"""

from __future__ import annotations

import collections

import numpy as np
import numpy.typing as npt

from leaf_data import partitioners
from leaf_data.checks import check_fraction, check_integer, check_number, check_truth_value
from leaf_data.client_data import row_splits_from_counts
from leaf_data.examples import Examples
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.pooling import split_each_client
from leaf_data.random_streams import random_stream


def synthetic(
    alpha: float = 0.0,
    beta: float = 0.0,
    *,
    num_clients: int = 30,
    seed: int = 0,
    train_fraction: float = 0.8,
    iid: bool = False,
    num_features: int = 60,
    num_classes: int = 10,
) -> FederatedDataset:
    """Generates Synthetic(α, β), or Synthetic IID.

    For client i, with `Σ = diag(j^{-1.2})`, `j = 1..num_features`:

        u_i ~ N(0, α), W_i ~ N(u_i, 1) [num_features, num_classes], b_i ~ N(u_i, 1) [num_classes];
        B_i ~ N(0, β), v_i ~ N(B_i, 1) [num_features];
        x ~ N(v_i, Σ), y = argmax softmax(x W_i + b_i).

    IID: one `W ~ N(0, 1)` and `b ~ N(0, 1)` for all clients, and `v_i = 0`.

    Args:
        alpha: α, the standard deviation of the clients' models around each other, in [0, 1e6].
        beta: β, the standard deviation of the clients' features around each other, in [0, 1e6].
        num_clients: The number of clients, at least 1.
        seed: The seed of everything, the split included; a non-negative integer.
        train_fraction: The share of each client's samples used for training, in (0, 1]. FedFa uses
            0.8, FedProx's authors 0.9.
        iid: Whether all clients share one distribution; alpha and beta must then be 0.
        num_features: The number of features, at least 1.
        num_classes: The number of classes, at least 2.

    Returns:
        The data set `synthetic_iid` or `synthetic_{alpha}_{beta}`, its clients named `f_00000`, ...
        as by the authors. `x`: [num_features] float32; `y`: scalar int32 in `0..num_classes-1`.

    Raises:
        ValueError: If an argument is out of range.
    """
    _check(
        num_clients=num_clients,
        num_features=num_features,
        num_classes=num_classes,
        train_fraction=train_fraction,
    )
    check_truth_value("iid", iid)
    for name, value in (("alpha", alpha), ("beta", beta)):
        check_number(name, value, lambda x: 0.0 <= x <= 1e6, "in [0, 1e6]")
        if iid and value != 0.0:
            raise ValueError(f"{name} is {value}, but with iid=True it must be 0.")
    pool, partitions = _generate(alpha, beta, num_clients, seed, iid, num_features, num_classes)
    name = "synthetic_iid" if iid else f"synthetic_{alpha:g}_{beta:g}"
    return split_each_client(
        name, pool, partitions, train_fraction=train_fraction, seed=seed, num_classes=num_classes
    )


def synthetic_dirichlet(
    concentration: float,
    *,
    num_clients: int = 30,
    seed: int = 0,
    train_fraction: float = 0.8,
    num_features: int = 60,
    num_classes: int = 10,
) -> FederatedDataset:
    """Pools Synthetic IID and shares out each class in proportions drawn from Dir(ζ).

    Args:
        concentration: ζ, in [1e-4, 1e6]; FedFa uses 0.1, 0.5, 3 and 5. The smaller, the less
            balanced.
        num_clients: As in `synthetic`; every client keeps at least 10 samples.
        seed: As in `synthetic`.
        train_fraction: As in `synthetic`.
        num_features: As in `synthetic`.
        num_classes: As in `synthetic`.

    Returns:
        The data set `synthetic_dirichlet_{concentration}`; clients and samples as in `synthetic`.

    Raises:
        ValueError: If an argument is out of range.
    """
    _check(
        num_clients=num_clients,
        num_features=num_features,
        num_classes=num_classes,
        train_fraction=train_fraction,
    )
    check_number("concentration", concentration, lambda x: 1e-4 <= x <= 1e6, "in [1e-4, 1e6]")
    pool, _ = _generate(0.0, 0.0, num_clients, seed, True, num_features, num_classes)
    partitions = partitioners.dirichlet(
        pool["y"],
        num_partitions=num_clients,
        alpha=concentration,
        min_partition_size=10,
        seed=seed,
    )
    name = f"synthetic_dirichlet_{concentration:g}"
    return split_each_client(
        name, pool, partitions, train_fraction=train_fraction, seed=seed, num_classes=num_classes
    )


def _generate(
    alpha: float,
    beta: float,
    num_clients: int,
    seed: int,
    iid: bool,
    num_features: int,
    num_classes: int,
) -> tuple[Examples, list[npt.NDArray[np.int64]]]:
    """The samples of all clients, pooled, and each client's indices into the pool."""
    lognormal = random_stream(seed, "synthetic sizes").lognormal(4.0, 2.0, num_clients)
    sizes = lognormal.astype(np.int64) + 50
    row_splits = row_splits_from_counts(sizes.tolist())
    common = random_stream(seed, "synthetic common model")
    common_weights = common.standard_normal((num_features, num_classes))
    common_bias = common.standard_normal(num_classes)
    feature_scale = np.arange(1, num_features + 1) ** -0.6  # Square root of the variances j^{-1.2}.

    x = np.empty((row_splits[-1], num_features), np.float32)
    y = np.empty(row_splits[-1], np.int32)
    for client in range(num_clients):
        generator = random_stream(seed, "synthetic client", client)
        if iid:
            weights, bias, center = common_weights, common_bias, np.zeros(num_features)
        else:
            model_mean = alpha * generator.standard_normal()
            feature_mean = beta * generator.standard_normal()
            weights = model_mean + generator.standard_normal((num_features, num_classes))
            bias = model_mean + generator.standard_normal(num_classes)
            center = feature_mean + generator.standard_normal(num_features)
        noise = generator.standard_normal((sizes[client], num_features))
        features = center + noise * feature_scale
        rows = slice(row_splits[client], row_splits[client + 1])
        x[rows] = features
        y[rows] = np.argmax(features @ weights + bias, axis=1)
    pool = collections.OrderedDict(x=x, y=y)
    return pool, np.split(np.arange(row_splits[-1]), row_splits[1:-1])


def _check(*, num_clients: int, num_features: int, num_classes: int, train_fraction: float) -> None:
    check_integer("num_clients", num_clients, least=1)
    check_integer("num_features", num_features, least=1)
    check_integer("num_classes", num_classes, least=2)
    check_fraction("train_fraction", train_fraction)
