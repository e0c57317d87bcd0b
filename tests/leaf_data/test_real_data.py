"""Tests on the real data, where $TFF_WEIGHTS_DATA_DIR holds them."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

from leaf_data import registry
from leaf_data.shakespeare.sources import read_roles
from leaf_data.sources import read_images
from leaf_data.statistics import statistics

_FOLDER = os.environ.get("TFF_WEIGHTS_DATA_DIR")


def _needs(*files: str) -> pytest.MarkDecorator:
    there = _FOLDER and any((pathlib.Path(_FOLDER) / file).is_file() for file in files)
    return pytest.mark.skipif(not there, reason=f"no {' or '.join(files)} in $TFF_WEIGHTS_DATA_DIR")


@_needs("mnist.npz")
def test_mnist_is_mnist():
    """The mean and the deviation of PyTorch's example; the documented total of FedProx' clients."""
    images = read_images("mnist")
    assert images.train_x.shape == (60_000, 28, 28)
    counts = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.bincount(images.train_y).tolist() == counts
    pixels = registry.load("mnist_x_class", options={"pixels": "normalized"}).pixels
    assert pixels.mean / 255 == pytest.approx(0.1307, abs=5e-5)
    assert pixels.deviation / 255 == pytest.approx(0.3081, abs=5e-5)
    measured = statistics(registry.load("mnist", options={"sigma": 1.5}))
    assert abs(measured.num_samples - 69_035) < 120
    assert 80 < measured.stdev_samples_per_client < 140
    assert registry.load("mnist_major_minor").train.num_examples.sum() == 31_458


@_needs("100.txt")
def test_gutenbergs_text(tmp_path):
    """LEAF's own statistics: 1,129 roles, 4,226,158 samples, 3,743 on average, deviation 6,212."""
    (tmp_path / "100.txt").symlink_to(pathlib.Path(_FOLDER, "100.txt"))
    sizes = [role.num_windows for role in read_roles("", data_dir=tmp_path).roles]
    assert (len(sizes), sum(sizes)) == (1_129, 4_226_158)
    assert (int(np.mean(sizes)), int(np.std(sizes))) == (3_743, 6_212)
