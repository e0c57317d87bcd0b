"""Tests of `leaf_data.image_datasets.mnist`."""

import numpy as np
import pytest

from leaf_data.image_datasets.mnist import mnist
from leaf_data.pixels import UNIT


def test_two_digits_each_of_training_and_test_set_together_with_standardized_pixels(small_images):
    """Rounding leaves few of the 1,100 images out; the first pixel is the digit, whose mean is 4.5
    and whose deviation √8.25; the second says where an image is from."""
    dataset = mnist(data_dir=small_images, num_clients=20, seed=3)
    assert (dataset.name, dataset.seed, dataset.origin) == ("mnist", 3, "mnist.npz")
    assert (dataset.documented.num_clients, dataset.documented.num_samples) == (1000, 69_035)
    assert dataset.num_clients == 20
    for client, client_id in enumerate(dataset.client_ids):
        train, test = dataset.train.examples(client_id), dataset.test.examples(client_id)
        assert set(train["y"]) | set(test["y"]) == {client % 10, (client + 1) % 10}
        assert len(train["y"]) == (len(train["y"]) + len(test["y"])) * 8 // 10
    train = dataset.train.arrays
    assert set(train["x"][:, 0, 1]) == {0, 1}
    np.testing.assert_array_equal(train["x"][:, 0, 0], train["y"])
    assert 1100 - 40 <= len(train["y"]) + len(dataset.test.arrays["y"]) <= 1100
    assert dataset.pixels.mean[0, 0] == pytest.approx(4.5)
    assert dataset.pixels.deviation[0, 0] == pytest.approx(8.25**0.5 + 0.001)
    assert train["x"].dtype == np.uint8
    assert mnist(data_dir=small_images, num_clients=20, pixels="unit").pixels == UNIT
