"""The two federated data sets of Shakespeare: FedFa's sample of roles, and all of LEAF's."""

from __future__ import annotations

import collections
import os
import pathlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from leaf_data import partitioners, sources
from leaf_data.checks import (
    check_fraction,
    check_integer,
    check_one_of,
    check_seed,
    check_truth_value,
)
from leaf_data.client_data import ArrayClientData, row_splits_from_counts
from leaf_data.examples import Examples
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.sampling import draw_at_most, sample_clients
from leaf_data.shakespeare.alphabet import ALPHABET
from leaf_data.shakespeare.roles import WINDOW_SIZE, Role
from leaf_data.shakespeare.sources import EDITIONS, read_roles
from leaf_data.shakespeare.tff_roles import TFF_SQLITE, read_tff_roles

_FED_FA = DocumentedStatistics(
    num_clients=143,
    num_samples=517_106,
    mean_samples_per_client=3_616,
    stdev_samples_per_client=6_808,
)
# LEAF's 4,226,158 windows less the 79 of each role that its split leaves out (fewer where a role
# has fewer).
_LEAF = DocumentedStatistics(num_clients=1_129, num_samples=4_151_531)


def shakespeare(
    *,
    seed: int = 0,
    data_dir: str | os.PathLike[str] | None = None,
    train_fraction: float = 0.8,
    max_samples_per_client: int | None = None,
    edition: str = "any",
) -> FederatedDataset:
    """FedFa's and FedProx's Shakespeare: a sample of the roles, each split at random.

    Roles are taken as in FedProx's script, see `sample_clients`. Decision: the numbers of samples
    and roles are those that FedProx and FedFa document. The command that FedProx documents with
    them (`-s niid --sf 0.2`) would take a fifth of all windows, 845,231, and does not give these
    numbers on today's text.

    A role's windows overlap, and are split at random all the same, as the papers do: what a test
    window asks for is part of some training window. `leaf_shakespeare` does not have that fault.

    Args:
        seed: The seed of sample and split, a non-negative integer.
        data_dir: The folder of raw and cached data, see `read_roles`.
        train_fraction: The share of each role's windows used for training, in (0, 1].
        max_samples_per_client: From a role with more windows, this many are drawn without
            replacement before the split, at least 1; None for all. The papers take all; an epoch
            of these takes minutes on a few processor cores.
        edition: "any", "plays" or "gutenberg", LEAF's own text; see `read_roles`.

    Returns:
        The data set. `x`: [80] uint8, `y`: scalar int32, both symbols of `ALPHABET`; `y` is the one
        that follows `x`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the text cannot be read or downloaded.
    """
    check_fraction("train_fraction", train_fraction)
    check_seed("seed", seed)
    if max_samples_per_client is not None:
        check_integer("max_samples_per_client", max_samples_per_client, least=1)
    check_one_of("edition", edition, EDITIONS)
    source = read_roles("shakespeare", data_dir=data_dir, edition=edition)
    chosen = sample_clients(
        [role.num_windows for role in source.roles],
        num_samples=_FED_FA.num_samples,
        num_clients=_FED_FA.num_clients,
        seed=seed,
    )
    roles = [role for role, windows in zip(source.roles, chosen) if len(windows)]
    counts = [len(windows) for windows in chosen if len(windows)]
    pool, windows_of_roles = _pool(roles, counts)
    if max_samples_per_client is not None:
        windows_of_roles = draw_at_most(
            windows_of_roles, num_samples=max_samples_per_client, seed=seed
        )
    train, test = partitioners.train_test_split(
        windows_of_roles, train_fraction=train_fraction, seed=seed
    )
    return FederatedDataset(
        name="shakespeare",
        train=_clients(roles, pool, train),
        test=_clients(roles, pool, test),
        seed=seed,
        num_classes=len(ALPHABET),
        alphabet=ALPHABET,
        documented=_FED_FA if max_samples_per_client is None else None,
        origin=source.origin,
    )


def leaf_shakespeare(
    *,
    data_dir: str | os.PathLike[str] | None = None,
    train_fraction: float = 0.8,
    leaf_split: bool = False,
    edition: str = "any",
) -> FederatedDataset:
    """LEAF's Shakespeare: all roles, each split at a place in its text.

    The first windows of a role are for training; the next 79, which overlap with them, are left out
    as LEAF's `split_data.py` does; the others are for testing. Decision: roles too short to
    have a test window stay, with training examples alone, unless `leaf_split` says otherwise.

    Where TFF's own `shakespeare.sqlite` lies in the data directory, that is used: 715 roles, whose
    speeches are split into train and test already.

    Args:
        data_dir: The folder of raw and cached data, see `read_roles`.
        train_fraction: The share of each role's windows used for training, in (0, 1]; not used with
            TFF's file, whose split is its own.
        leaf_split: Whether roles without a test window are left out, as LEAF's script does. The
            1,129 roles and 4,226,158 windows that LEAF states are those before it.
        edition: As in `shakespeare`; TFF's file is looked for with "any" alone.

    Returns:
        The data set; its samples as in `shakespeare`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the text cannot be read or downloaded, or no role is left.
    """
    check_fraction("train_fraction", train_fraction)
    check_truth_value("leaf_split", leaf_split)
    check_one_of("edition", edition, EDITIONS)
    if edition == "any":
        directory = sources.find_tff_sqlite(TFF_SQLITE, data_dir=data_dir)
        if directory is not None:
            return _split_by_tff(directory, leaf_split=leaf_split)
    source = read_roles("leaf_shakespeare", data_dir=data_dir, edition=edition)
    pool, windows_of_roles = _pool(source.roles, [role.num_windows for role in source.roles])
    train, test = [], []
    for windows in windows_of_roles:
        num_train = max(1, int(train_fraction * len(windows) + 1e-9))
        train.append(windows[:num_train])
        test.append(windows[num_train + WINDOW_SIZE - 1 :])
    roles = list(source.roles)
    if leaf_split:
        roles, train, test = partitioners.drop_untested(
            roles, train, test, dataset="leaf_shakespeare"
        )
    return FederatedDataset(
        name="leaf_shakespeare",
        train=_clients(roles, pool, train),
        test=_clients(roles, pool, test),
        num_classes=len(ALPHABET),
        alphabet=ALPHABET,
        documented=_LEAF,
        origin=source.origin,
    )


def _split_by_tff(directory: pathlib.Path, *, leaf_split: bool) -> FederatedDataset:
    """TFF's roles, each with all windows of what it says in the one split and in the other."""
    splits = []
    for roles in read_tff_roles(directory):
        pool, windows_of_roles = _pool(roles, [role.num_windows for role in roles])
        splits.append((roles, pool, windows_of_roles))
    (roles, train_pool, train), (_, test_pool, test) = splits
    if leaf_split:
        roles, train, test = partitioners.drop_untested(
            roles, train, test, dataset="leaf_shakespeare"
        )
    return FederatedDataset(
        name="leaf_shakespeare",
        train=_clients(roles, train_pool, train),
        test=_clients(roles, test_pool, test),
        num_classes=len(ALPHABET),
        alphabet=ALPHABET,
        origin=TFF_SQLITE,
    )


def _pool(
    roles: Sequence[Role], counts: Sequence[int]
) -> tuple[Examples, list[npt.NDArray[np.int64]]]:
    """The first windows of each role, in one pool, and the places of each role's."""
    splits = row_splits_from_counts(counts)
    x = np.empty((splits[-1], WINDOW_SIZE), np.uint8)
    y = np.empty(splits[-1], np.int32)
    for role, begin, end in zip(roles, splits, splits[1:]):
        windows, following = role.windows()
        x[begin:end] = windows[: end - begin]
        y[begin:end] = following[: end - begin]
    return collections.OrderedDict(x=x, y=y), np.split(np.arange(splits[-1]), splits[1:-1])


def _clients(
    roles: Sequence[Role], pool: Examples, partitions: Sequence[npt.NDArray[np.int64]]
) -> ArrayClientData:
    return ArrayClientData.from_partitions([role.client_id for role in roles], pool, partitions)
