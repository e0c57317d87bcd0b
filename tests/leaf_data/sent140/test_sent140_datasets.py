"""Tests of `leaf_data.sent140.datasets`."""

import numpy as np
import pytest
import text_files

from leaf_data.errors import DataError
from leaf_data.sent140 import leaf_sent140, sent140
from leaf_data.statistics import samples_per_client, statistics


@pytest.fixture(name="data_dir")
def _data_dir(tmp_path):
    """10 accounts with 40 tweets (the first 41), and 10 with 5 (the first 6)."""
    few = [[*row[:4], f"few{row[4]}", row[5]] for row in text_files.tweets(10, 5)]
    text_files.write_tweets(tmp_path / "sent140.csv.gz", text_files.tweets(10, 40) + few)
    return str(tmp_path)


def test_sent140_is_the_busy_accounts_of_a_sample(data_dir):
    """30 % of 452 tweets are 135, which fill at most 3 accounts of 40, one more in part."""
    dataset = sent140(data_dir=data_dir, seed=2)
    counts = samples_per_client(dataset)
    assert (dataset.name, dataset.seed, dataset.num_classes) == ("sent140", 2, 2)
    assert dataset.origin == "sent140.csv.gz, embeddings learned"
    assert 1 <= len(counts) <= 4
    assert counts.min() >= 31
    assert counts.sum() <= 135
    with pytest.warns(UserWarning, match="documented is 772"):
        statistics(dataset)


def test_splits_are_the_accounts_own_tweets(data_dir):
    dataset = sent140(data_dir=data_dir, sample_fraction=1.0)
    text = sent140(data_dir=data_dir, sample_fraction=1.0, embeddings="none")
    assert dataset.client_ids == text.client_ids == sorted(f"user{n}" for n in range(10))
    assert text.vocabulary is None
    for client_id in dataset.client_ids:
        for split, text_split in ((dataset.train, text.train), (dataset.test, text.test)):
            examples, texts = split.examples(client_id), text_split.examples(client_id)
            assert (examples["x"].dtype, examples["y"].dtype) == (np.int32, np.int32)
            decoded = dataset.vocabulary.encode([row[4].decode() for row in texts["x"]])
            np.testing.assert_array_equal(examples["x"], decoded)
            np.testing.assert_array_equal(examples["y"], texts["y"])
            assert {row[3].decode() for row in texts["x"]} == {client_id}
        assert len(dataset.train.examples(client_id)["y"]) == 32  # Of 40, and of 41.
        both = [split.examples(client_id)["x"] for split in (text.train, text.test)]
        identifiers = sorted(int(row[0]) for row in np.concatenate(both))
        assert identifiers == list(range(len(identifiers)))


def test_leafs_split_drops_the_accounts_with_one_tweet(data_dir, tmp_path):
    """Words that only they have are unknown then."""
    rows = [text_files.tweet(name, text) for name, text in (("ann", "a b"), ("bob", "c d"))]
    rows += [text_files.tweet("bob", "c e"), text_files.tweet("cid", "f g")]
    text_files.write_tweets(tmp_path / "sent140.csv.gz", rows)
    whole, dropped = (
        leaf_sent140(data_dir=str(tmp_path), leaf_split=on, seed=2) for on in (False, True)
    )
    assert whole.client_ids == ["ann", "bob", "cid"]
    assert dropped.client_ids == ["bob"]
    assert (dropped.train.num_examples, dropped.test.num_examples) == ([1], [1])
    np.testing.assert_array_equal(
        dropped.train.examples("bob")["y"], whole.train.examples("bob")["y"]
    )
    assert set(dropped.vocabulary.words) < set(whole.vocabulary.words)
    assert "a" not in dropped.vocabulary.words
    with pytest.raises(DataError, match="none of 3 clients has a test example"):
        leaf_sent140(data_dir=str(tmp_path), leaf_split=True, train_fraction=1.0)


def test_too_few_tweets_per_account_is_one_sentence(data_dir):
    with pytest.raises(DataError, match="min_tweets_per_account = 42 .*20 accounts.* 41"):
        sent140(data_dir=data_dir, min_tweets_per_account=42, sample_fraction=1.0)
