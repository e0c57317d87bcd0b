"""Tests of `leaf_data.synthetic`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.federated_dataset import FederatedDataset
from leaf_data.random_streams import random_stream
from leaf_data.synthetic import synthetic, synthetic_dirichlet


def _num_samples(dataset: FederatedDataset) -> np.ndarray:
    return dataset.train.num_examples + dataset.test.num_examples


def _pooled(dataset: FederatedDataset, field: str) -> np.ndarray:
    return np.concatenate([dataset.train.arrays[field], dataset.test.arrays[field]])


@pytest.mark.parametrize(
    "dataset",
    [synthetic(iid=True), synthetic(0.5, 0.5), synthetic_dirichlet(0.5)],
    ids=lambda dataset: dataset.name,
)
def test_form(dataset):
    assert dataset.num_clients == 30
    assert dataset.client_ids[:2] == ["f_00000", "f_00001"]
    assert dataset.num_classes == 10
    for client_data in (dataset.train, dataset.test):
        assert client_data.arrays["x"].dtype == np.float32
        assert client_data.arrays["x"].shape[1:] == (60,)
        assert client_data.arrays["y"].dtype == np.int32
        assert client_data.arrays["y"].shape[1:] == ()
        assert set(client_data.arrays["y"]) <= set(range(10))
        assert np.isfinite(client_data.arrays["x"]).all()
        assert client_data.num_examples.min() > 0


def test_names():
    assert synthetic(iid=True).name == "synthetic_iid"
    assert synthetic(0.5, 0.5).name == "synthetic_0.5_0.5"
    assert synthetic(1, 1).name == "synthetic_1_1"
    assert synthetic_dirichlet(3.0).name == "synthetic_dirichlet_3"


def test_numbers_are_pinned():
    """The default seed's sizes, first features and label counts: they must never change."""
    dataset = synthetic(1.0, 1.0)
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


def test_sets_of_one_seed_share_their_sizes():
    sizes = [_num_samples(d) for d in (synthetic(iid=True), synthetic(0, 0), synthetic(1, 1))]
    np.testing.assert_array_equal(sizes[0], sizes[1])
    np.testing.assert_array_equal(sizes[0], sizes[2])


def test_split_is_80_20():
    dataset = synthetic(0.5, 0.5)
    np.testing.assert_array_equal(dataset.train.num_examples, _num_samples(dataset) * 8 // 10)
    nine_tenths = synthetic(0.5, 0.5, train_fraction=0.9)
    np.testing.assert_array_equal(nine_tenths.train.num_examples, _num_samples(dataset) * 9 // 10)


def test_iid_features_have_the_covariance():
    """With x ~ N(0, diag(j^-1.2)), the relative standard error of a variance is √(2/n)."""
    x = _pooled(synthetic(iid=True), "x").astype(np.float64)
    assert len(x) > 7000
    variances = np.arange(1, 61) ** -1.2
    np.testing.assert_allclose(x.var(axis=0), variances, rtol=5 * np.sqrt(2 / len(x)))
    np.testing.assert_array_less(np.abs(x.mean(axis=0)), 5 * np.sqrt(variances / len(x)))
    correlations = np.corrcoef(x, rowvar=False) - np.eye(60)
    assert np.abs(correlations).max() < 5 / np.sqrt(len(x))


def test_iid_labels_come_from_one_model():
    """The labels are argmax(x W + b) for one W, b ~ N(0, 1)."""
    dataset = synthetic(iid=True, seed=7)
    stream = random_stream(7, "synthetic common model")
    weights, bias = stream.standard_normal((60, 10)), stream.standard_normal(10)
    predicted = np.argmax(_pooled(dataset, "x") @ weights + bias, axis=1)
    assert np.mean(predicted == _pooled(dataset, "y")) > 0.999


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


def test_clients_features_are_centred_at_their_own_point():
    """With β = 0: v_i ~ N(0, 1) per feature; the means of 30 clients scatter with deviation 1.

    Over 30 · 60 means the standard error of the deviation is 1 / √3600 = 0.017.
    """
    dataset = synthetic(0, 0)
    means = [dataset.train.examples(i)["x"].mean(axis=0) for i in dataset.client_ids]
    assert abs(np.std(means) - 1) < 4 * 0.017 + 0.01


def test_alpha_shifts_all_logits_alike_and_so_changes_no_label():
    """u_i is the mean of all of W_i and b_i: it adds u_i (Σ_j x_j + 1) to every class's logit."""
    zero, one = synthetic(0.0, 1.0), synthetic(1.0, 1.0)
    np.testing.assert_array_equal(zero.train.arrays["x"], one.train.arrays["x"])
    np.testing.assert_array_equal(zero.train.arrays["y"], one.train.arrays["y"])


def test_clients_have_models_of_their_own():
    """No one linear model fits all clients: the IID set's does, but not those of two others.

    A client's labels are skewed: the most frequent one of ten covers far more than a tenth.
    """
    dataset = synthetic(1, 1)
    shares = [
        np.bincount(dataset.train.examples(i)["y"]).max() / len(dataset.train.examples(i)["y"])
        for i in dataset.client_ids
    ]
    assert np.mean(shares) > 0.4
    favourites = {np.bincount(dataset.train.examples(i)["y"]).argmax() for i in dataset.client_ids}
    assert len(favourites) > 5


@pytest.mark.parametrize("concentration", [0.1, 0.5, 3.0, 5.0])
def test_dirichlet_shares_out_the_iid_pool(concentration):
    iid, dataset = synthetic(iid=True, seed=2), synthetic_dirichlet(concentration, seed=2)
    assert _num_samples(dataset).min() >= 10

    def rows(of):
        table = np.column_stack([_pooled(of, "x"), _pooled(of, "y")])
        return table[np.lexsort(table.T)]

    np.testing.assert_array_equal(rows(dataset), rows(iid))


def test_smaller_concentration_is_less_balanced():
    deviations = [_num_samples(synthetic_dirichlet(z)).std() for z in (0.1, 0.5, 3.0, 5.0)]
    assert deviations == sorted(deviations, reverse=True)


def test_dirichlet_leaves_ten_samples_to_everybody_at_every_seed():
    assert min(_num_samples(synthetic_dirichlet(0.1, seed=s)).min() for s in range(20)) >= 10


def test_seed_decides():
    first, second, third = (synthetic(1, 1, seed=seed).train.arrays["x"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert first.shape != third.shape or not np.array_equal(first, third)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"alpha": -1.0}, "alpha is -1.0"),
        ({"beta": float("inf")}, "beta is inf"),
        ({"iid": True, "beta": 1.0}, "beta is 1.0, but with iid=True"),
        ({"num_clients": 0}, "num_clients is 0"),
        ({"num_features": 1.5}, "num_features is 1.5"),
        ({"num_classes": 1}, "num_classes is 1"),
        ({"seed": -3}, "seed is -3"),
        ({"train_fraction": 0.0}, "train_fraction is 0.0"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        synthetic(**arguments)


def test_bad_concentration_is_refused():
    with pytest.raises(ValueError, match="concentration is 0.0"):
        synthetic_dirichlet(0.0)
