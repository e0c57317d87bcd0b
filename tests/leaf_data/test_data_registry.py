"""Tests of `leaf_data.registry`."""

from __future__ import annotations

import pytest

from leaf_data import registry
from leaf_data.leaf_json import write_leaf_json
from leaf_data.synthetic import synthetic


def test_names():
    assert registry.names() == [
        "synthetic_iid",
        "synthetic_0_0",
        "synthetic_0.5_0.5",
        "synthetic_1_1",
        "synthetic_dirichlet_0.1",
        "synthetic_dirichlet_0.5",
        "synthetic_dirichlet_3",
        "synthetic_dirichlet_5",
        "leaf",
    ]


@pytest.mark.parametrize("name", [name for name in registry.names() if name != "leaf"])
def test_generated_data_sets_know_their_name_and_seed(name):
    dataset = registry.load(name, seed=3)
    assert dataset.name == name
    assert dataset.seed == 3
    assert dataset.num_clients == 30


def test_leaf_reads_a_folder(tmp_path):
    dataset = synthetic(num_clients=3)
    write_leaf_json(dataset, tmp_path / "out")
    read = registry.load("leaf", leaf_dir=str(tmp_path / "out"))
    assert read.name == "leaf"
    assert read.client_ids == dataset.client_ids


def test_unknown_name():
    with pytest.raises(
        ValueError, match="name is 'synthetic'; it must be one of synthetic_iid, .*"
    ):
        registry.load("synthetic")


def test_leaf_dir_goes_with_leaf():
    with pytest.raises(ValueError, match="leaf_dir is None"):
        registry.load("leaf")
    with pytest.raises(ValueError, match="leaf_dir is 'folder'; only"):
        registry.load("synthetic_1_1", leaf_dir="folder")
