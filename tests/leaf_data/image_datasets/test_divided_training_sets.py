"""Tests of the data sets that divide a training set: FedAdp's, FedVeca's, WeiAvg's, FedCav's."""

import image_files
import numpy as np
import pytest

from leaf_data import registry

_NAMES = [name for name in image_files.SMALL_OPTIONS if name != "mnist"]


def _load(name, small_images, **options):
    return registry.load(
        name, data_dir=small_images, options={**image_files.SMALL_OPTIONS[name], **options}
    )


def _labels_of(client_data):
    return [
        np.unique(client_data.examples(client_id)["y"]).tolist()
        for client_id in client_data.client_ids
    ]


@pytest.mark.parametrize("name", _NAMES)
def test_splits_are_the_official_ones(name, small_images):
    """The second pixel says which split an image is from, the first one its label.

    The clients' test examples together are the test set, each image once: the accuracy over all of
    them is the accuracy on the test set.
    """
    dataset = _load(name, small_images)
    assert (dataset.name, dataset.seed, dataset.num_classes) == (name, 0, 10)
    assert dataset.client_ids[:2] == ["f_00000", "f_00001"]
    images = name.partition("mnist")[0] + "mnist" if "mnist" in name else "cifar10"
    assert dataset.origin == f"{images}.npz"
    official = np.load(f"{small_images}/{dataset.origin}")
    for is_test, client_data in enumerate((dataset.train, dataset.test)):
        x, y = client_data.arrays["x"], client_data.arrays["y"]
        assert (x.dtype, y.dtype) == (np.uint8, np.int32)
        assert x.shape[1:] == official["train_x"].shape[1:]
        corners = x[:, 0, :2].reshape(len(y), 2, -1)
        np.testing.assert_array_equal(corners[:, 0, 0], y)
        assert set(corners[:, 1, 0]) == {is_test}
    ours, theirs = (sorted(map(bytes, x)) for x in (dataset.test.arrays["x"], official["test_x"]))
    assert ours == theirs
    assert np.ptp(dataset.test.num_examples) <= 1


def test_options(small_images):
    """Sixty samples may lack one of ten classes; pixels are normalized over all training images.

    With `per_client` 100 clients of 50 images each share the 1,000 there are.
    """
    dataset = _load("mnist_x_class", small_images, num_iid=3, num_non_iid=7, x=2)
    assert [len(labels) for labels in _labels_of(dataset.train)] == [10] * 3 + [2] * 7
    assert dataset.train.num_examples.tolist() == [60] * 10
    assert dataset.documented.num_samples == 10_600
    with pytest.raises(ValueError, match="num_iid and num_non_iid are 0; there must be a client"):
        _load("mnist_x_class", small_images, num_iid=0, num_non_iid=0)
    mixed = _load("mnist_mixed_classes", small_images, pixels="normalized")
    images = np.load(f"{small_images}/mnist.npz")["train_x"].astype(np.float64)
    np.testing.assert_allclose(mixed.pixels.mean, images.mean(), rtol=1e-6)
    counts = [len(labels) for labels in _labels_of(mixed.train)]
    assert min(counts[:5]) >= 8
    assert counts[5:] == [1] * 3 + [2] * 2
    shared = {"num_samples": 50, "per_client": True, "skew": "linear"}
    dataset = _load("cifar10_entropy", small_images, **shared)
    assert dataset.train.num_examples.tolist() == [50] * 100
    assert dataset.documented.num_samples == 15_000
    skewed = _load("fashion_mnist_entropy", small_images, p=1.0)
    assert skewed.train.num_examples.tolist() == [5] * 100
    assert all(len(labels) == 1 for labels in _labels_of(skewed.train))
