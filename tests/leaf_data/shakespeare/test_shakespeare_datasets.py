"""Tests of `leaf_data.shakespeare.datasets`."""

import pathlib

import numpy as np
import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.shakespeare import datasets
from leaf_data.shakespeare.alphabet import to_text
from leaf_data.shakespeare.datasets import leaf_shakespeare, shakespeare
from leaf_data.shakespeare.sources import read_roles
from leaf_data.statistics import samples_per_client


@pytest.fixture(name="data_dir")
def _data_dir(tmp_path, monkeypatch):
    """As if the papers' sample had 4 roles and 1,500 windows; the 9 roles have 381 to 557."""
    text_files.write_plays(tmp_path / "shakespeare_plays.json.gz", text_files.plays(9))
    fields = datasets._FED_FA.__class__(num_clients=4, num_samples=1500)
    monkeypatch.setattr(datasets, "_FED_FA", fields)
    return str(tmp_path)


def test_shakespeare_is_a_sample_of_the_documented_size_and_splits_each_role_at_random(data_dir):
    dataset = shakespeare(data_dir=data_dir, seed=1)
    counts = samples_per_client(dataset)
    assert (dataset.name, dataset.seed, dataset.num_classes) == ("shakespeare", 1, 80)
    assert dataset.origin == "shakespeare_plays.json.gz"
    assert (len(counts), counts.sum()) == (4, 1500)
    roles = {role.client_id: role for role in read_roles("", data_dir=data_dir).roles}
    whole = [count == roles[name].num_windows for name, count in zip(dataset.client_ids, counts)]
    assert sum(whole) == 3  # The fourth gives what is wanting.
    for client_id in dataset.client_ids:
        train, test = (split.examples(client_id) for split in (dataset.train, dataset.test))
        num_windows = len(train["y"]) + len(test["y"])
        assert len(train["y"]) == num_windows * 8 // 10
        assert (train["x"].dtype, train["x"].shape[1:]) == (np.uint8, (80,))
        assert train["y"].dtype == np.int32
        samples = [
            to_text(np.append(x, y.astype(np.uint8)))
            for split in (train, test)
            for x, y in zip(split["x"], split["y"])
        ]
        text = roles[client_id].text
        assert sorted(samples) == sorted(text[i : i + 81] for i in range(num_windows))
        assert samples[0] != text[:81] or samples[1] != text[1:82]


def test_a_cap_keeps_the_roles_and_draws_from_their_windows(data_dir):
    """50 of each of 4 roles, and 40 of these train; what the papers document is another sample."""
    whole = shakespeare(data_dir=data_dir, seed=1)
    capped = shakespeare(data_dir=data_dir, seed=1, max_samples_per_client=50)
    assert capped.client_ids == whole.client_ids
    np.testing.assert_array_equal(capped.train.num_examples, 40)
    np.testing.assert_array_equal(capped.test.num_examples, 10)
    assert capped.documented is None
    for client_id in whole.client_ids:
        has, had = (
            {
                to_text(np.append(x, y.astype(np.uint8)))
                for split in (dataset.train, dataset.test)
                for x, y in zip(*split.examples(client_id).values())
            }
            for dataset in (capped, whole)
        )
        assert len(has) <= 50 and has < had


def test_leaf_shakespeare_splits_where_the_text_stands(data_dir):
    """Of 381 windows the first 304 train; 79 are left out, and none is left: no test examples."""
    dataset = leaf_shakespeare(data_dir=data_dir, train_fraction=0.5)
    roles = read_roles("", data_dir=data_dir).roles
    assert dataset.client_ids == [role.client_id for role in roles]
    for role in roles:
        train, test = (s.examples(role.client_id) for s in (dataset.train, dataset.test))
        num_train = role.num_windows // 2
        assert (len(train["y"]), len(test["y"])) == (num_train, role.num_windows - num_train - 79)
        assert to_text(train["x"][0]) == role.text[:80]
        # The first test window begins where the last character learned ends.
        assert to_text(test["x"][0]) == role.text[num_train + 79 : num_train + 159]
        assert test["x"].base is not None
    assert leaf_shakespeare(data_dir=data_dir).test.num_examples[0] == 0


def test_leafs_split_drops_the_roles_without_a_test_window(data_dir):
    """With 0.8, a role of n windows has a test window where n - ⌊0.8 n⌋ > 79; of 381 to 557
    windows, that is n > 395. The others keep what they have without the option."""
    whole, dropped = (leaf_shakespeare(data_dir=data_dir, leaf_split=on) for on in (False, True))
    sizes = {role.client_id: role.num_windows for role in read_roles("", data_dir=data_dir).roles}
    expected = [name for name, size in sizes.items() if size - size * 8 // 10 > 79]
    assert 0 < len(expected) < len(sizes)
    assert dropped.client_ids == expected
    for client_id in expected:
        for split in ("train", "test"):
            ours, theirs = (getattr(d, split).examples(client_id) for d in (dropped, whole))
            np.testing.assert_array_equal(ours["x"], theirs["x"])
    assert dropped.test.num_examples.min() >= 1
    assert dropped.documented == whole.documented  # LEAF states what there is before its split.
    with pytest.raises(DataError, match="none of 9 clients has a test example, and leaf_split"):
        leaf_shakespeare(data_dir=data_dir, train_fraction=1.0, leaf_split=True)


def test_leaf_shakespeare_prefers_tffs_own_split(data_dir):
    """100 + a space - 80 windows; a role without training windows is left out."""
    text_files.write_shakespeare_sqlite(
        pathlib.Path(data_dir) / "shakespeare.sqlite",
        {
            "train": {"A": ["x" * 100], "B": ["short"], "C": ["z" * 80]},
            "test": {"A": ["y" * 85], "B": ["y" * 99], "C": ["short"]},
        },
    )
    dataset = leaf_shakespeare(data_dir=data_dir)
    assert dataset.origin == "shakespeare.sqlite"
    assert dataset.client_ids == ["A", "C"]
    assert dataset.train.num_examples.tolist() == [21, 1]
    assert dataset.test.num_examples.tolist() == [6, 0]
    dropped = leaf_shakespeare(data_dir=data_dir, leaf_split=True)
    assert dropped.client_ids == ["A"]
    assert (dropped.train.num_examples, dropped.test.num_examples) == ([21], [6])
    (pathlib.Path(data_dir) / "shakespeare.sqlite").write_bytes(b"no database")
    assert "plays" in leaf_shakespeare(data_dir=data_dir, edition="plays").origin
