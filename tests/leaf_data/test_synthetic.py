"""Tests of `leaf_data.synthetic`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data import registry
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.synthetic import synthetic, synthetic_dirichlet


def _num_samples(dataset: FederatedDataset) -> np.ndarray:
    return dataset.train.num_examples + dataset.test.num_examples


def _pooled(dataset: FederatedDataset, field: str) -> np.ndarray:
    return np.concatenate([dataset.train.arrays[field], dataset.test.arrays[field]])


@pytest.mark.parametrize(
    "name", [name for name in registry.names() if name.startswith("synthetic")]
)
def test_form(name):
    """The sizes are those of the seed, whatever else the data set is; 80 % are for training."""
    dataset, other = (registry.load(name, seed=seed) for seed in (0, 1))
    assert (dataset.name, other.seed) == (name, 1)
    assert (dataset.num_clients, dataset.num_classes) == (30, 10)
    assert dataset.client_ids[:2] == ["f_00000", "f_00001"]
    for client_data in (dataset.train, dataset.test):
        x, y = client_data.arrays["x"], client_data.arrays["y"]
        assert (x.dtype, x.shape[1:]) == (np.float32, (60,))
        assert (y.dtype, y.shape[1:]) == (np.int32, ())
        assert set(y) <= set(range(10))
        assert np.isfinite(x).all()
        assert client_data.num_examples.min() > 0
    assert not np.array_equal(dataset.train.arrays["y"], other.train.arrays["y"])
    sizes = _num_samples(dataset)
    np.testing.assert_array_equal(dataset.train.num_examples, sizes * 8 // 10)
    if "dirichlet" not in name:
        np.testing.assert_array_equal(sizes, _num_samples(synthetic(1, 1)))
    with pytest.raises(ValueError, match="beta is 1.0, but with iid=True"):
        synthetic(iid=True, beta=1.0)


def test_numbers_are_pinned():
    """The default seed's sizes, first features and label counts: they must never change.

    Alpha shifts all logits alike, and so changes no label: u_i is the mean of all of W_i and b_i,
    and adds u_i (Σ_j x_j + 1) to every class's logit.
    """
    dataset, other = synthetic(1.0, 1.0), synthetic(0.0, 1.0)
    for field in ("x", "y"):
        np.testing.assert_array_equal(dataset.train.arrays[field], other.train.arrays[field])
    assert _num_samples(dataset)[:5].tolist() == [83, 52, 77, 51, 55]
    assert _num_samples(dataset).sum() == 7164
    np.testing.assert_allclose(
        dataset.train.arrays["x"][0, :3], [2.4707344, 2.2119513, 1.6228535], rtol=1e-7
    )
    assert np.bincount(dataset.train.arrays["y"]).tolist() == (
        [2182, 612, 223, 322, 725, 20, 206, 306, 787, 336]
    )


def test_sizes_are_lognormal():
    """log(n - 50) ~ N(4, 2) before the floor: the quartiles are 4 and 4 ± 0.6745 · 2.

    The standard error of a sample quartile of 1,000 normal draws is 1.36 · 2 / √1000 = 0.086, of
    the median 0.079; the tolerance is four of them, and 1/2 is added for the floor.
    """
    sizes = _num_samples(synthetic(num_clients=1000, num_features=1))
    assert sizes.min() >= 50
    quartiles = np.quantile(np.log(sizes - 50 + 0.5), [0.25, 0.5, 0.75])
    np.testing.assert_allclose(quartiles, [4 - 1.349, 4, 4 + 1.349], atol=4 * 0.086)


def test_iid_features_have_the_covariance():
    """With x ~ N(0, diag(j^-1.2)), the relative standard error of a variance is √(2/n)."""
    x = _pooled(synthetic(iid=True), "x").astype(np.float64)
    assert len(x) > 7000
    variances = np.arange(1, 61) ** -1.2
    np.testing.assert_allclose(x.var(axis=0), variances, rtol=5 * np.sqrt(2 / len(x)))
    np.testing.assert_array_less(np.abs(x.mean(axis=0)), 5 * np.sqrt(variances / len(x)))
    assert np.abs(np.corrcoef(x, rowvar=False) - np.eye(60)).max() < 5 / np.sqrt(len(x))


def test_beta_is_the_standard_deviation_of_the_clients_feature_means():
    """Between β = 0 and β of one seed, client i's features all differ by B_i = β z_i.

    z_i ~ N(0, 1): the standard error of their deviation is 1 / √(2 · 400) = 0.035, of their mean
    0.05.
    """
    none, one, two = (synthetic(0.0, beta, num_clients=400, num_features=3) for beta in (0, 1, 2))
    firsts = none.train.row_splits[:-1]
    of_one, of_two = (
        (d.train.arrays["x"] - none.train.arrays["x"])[firsts].astype(np.float64)
        for d in (one, two)
    )
    np.testing.assert_allclose(of_one, of_one[:, :1].repeat(3, axis=1), atol=1e-5)
    np.testing.assert_allclose(of_two, 2 * of_one, atol=1e-5)
    assert abs(of_one[:, 0].std() - 1) < 4 * 0.035
    assert abs(of_one[:, 0].mean()) < 4 * 0.05


@pytest.mark.parametrize("concentration", [0.1, 5.0])
def test_dirichlet_shares_out_the_iid_pool(concentration):
    iid, dataset = synthetic(iid=True, seed=2), synthetic_dirichlet(concentration, seed=2)
    assert _num_samples(dataset).min() >= 10

    def rows(of):
        table = np.column_stack([_pooled(of, "x"), _pooled(of, "y")])
        return table[np.lexsort(table.T)]

    np.testing.assert_array_equal(rows(dataset), rows(iid))
