"""The same name and seed give the same numbers in any process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import image_files
import numpy as np
import numpy.typing as npt

from leaf_data import partitioners, registry
from leaf_data.federated_dataset import FederatedDataset


def digest(dataset: FederatedDataset) -> str:
    """Of all ids and numbers; also for the programs of other tests."""
    digest = hashlib.sha256()
    for client_data in (dataset.train, dataset.test):
        digest.update(repr(client_data.client_ids).encode())
        for array in (client_data.row_splits, *client_data.arrays.values()):
            digest.update(array.tobytes())
    return digest.hexdigest()


def stated_partitions() -> dict[str, list[npt.NDArray[np.int64]]]:
    """The partitions of FedAdp, FedVeca and WeiAvg, of as many labels as MNIST has."""
    labels = np.random.default_rng(3).permutation(np.arange(60_000) % 10)
    partitions = {}
    for num_iid in (3, 5, 6):
        for x in (1, 2):
            partitions[f"{num_iid} iid, {10 - num_iid} of {x}"] = partitioners.x_class(
                labels,
                num_iid=num_iid,
                num_non_iid=10 - num_iid,
                x=x,
                samples_per_client=600,
                seed=11,
            )
    for case in (partitioners.general_case_1, partitioners.general_case_2):
        partitions[case.__name__] = case(labels, samples_per_client=600, seed=11)
    cases = (
        partitioners.iid,
        partitioners.single_label,
        partitioners.half_iid_half_single_label,
    )
    for case in cases:
        for num_clients in (5, 30, 50):
            name = f"{case.__name__} of {num_clients}"
            partitions[name] = case(labels, num_clients=num_clients, seed=11)
    for num_samples in (3000, 4000):
        partitions[f"entropy_skew of {num_samples}"] = partitioners.entropy_skew(
            labels, num_clients=100, num_samples=num_samples, p=0.8, seed=11
        )
    return partitions


def print_digests(data_dir: str) -> None:
    """Prints a line for each generated or partitioned data set; also run in another process."""
    for name in registry.names():
        if name.startswith("synthetic"):
            print(name, digest(registry.load(name, seed=11)))
    for name, options in image_files.SMALL_OPTIONS.items():
        print(name, digest(registry.load(name, seed=11, data_dir=data_dir, options=options)))
    for name, partitions in stated_partitions().items():
        content = b"".join(hashlib.sha256(partition).digest() for partition in partitions)
        print(name, hashlib.sha256(content).hexdigest())


def test_another_process_generates_the_same_numbers(capsys, small_images):
    """With another hash seed, which would change whatever leans on hash() or on a set's order."""
    print_digests(small_images)
    ours = capsys.readouterr().out
    theirs = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import test_determinism as t; t.print_digests({small_images!r})",
        ],
        env={
            **os.environ,
            "PYTHONHASHSEED": "123",
            "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path]),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    num_partitioned = len(image_files.SMALL_OPTIONS) + len(stated_partitions())
    assert len(ours.splitlines()) == 8 + num_partitioned
    assert theirs == ours


def test_clients_have_exactly_as_many_examples_as_the_papers_say():
    """FedAdp: 600 each, which clients may share; FedVeca: all 60,000, in equal parts but for half
    of case 3; WeiAvg: 30, or 40, each."""
    for name, partitions in stated_partitions().items():
        counts = [len(partition) for partition in partitions]
        assert [len(np.unique(partition)) for partition in partitions] == counts, name
        if counts != [600] * 10:
            assert len(np.unique(np.concatenate(partitions))) == sum(counts), name
        if name.startswith("entropy_skew"):
            assert counts == [int(name.split()[-1]) // 100] * 100
        elif " of " not in name or "iid, " in name:
            assert counts == [600] * 10, name
        elif name.startswith("half"):
            assert sum(counts) == 60_000
            half = (len(counts) + 1) // 2
            assert sum(counts[:half]) == 30_000
            assert max(counts[:half]) - min(counts[:half]) <= 1
        else:
            assert counts == [60_000 // len(counts)] * len(counts), name
