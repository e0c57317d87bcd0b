"""The two federated data sets of tweets: FedFa's sample of accounts, and all of LEAF's."""

from __future__ import annotations

import collections
import dataclasses
import os
import pathlib
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from leaf_data import partitioners
from leaf_data.checks import (
    check_fraction,
    check_integer,
    check_seed,
    check_truth_value,
    check_type,
)
from leaf_data.client_data import ArrayClientData, row_splits_from_counts
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.local_files import find_file
from leaf_data.sampling import sample_clients
from leaf_data.sent140.sources import find_tweets
from leaf_data.sent140.tweets import Tweets
from leaf_data.sent140.vocabulary import Vocabulary, glove_vocabulary, learned_vocabulary

LEARNED = "learned"
TEXT = "none"
_GLOVE_PREFIX = "glove:"

_FED_FA = DocumentedStatistics(
    num_clients=772,
    num_samples=40_783,
    mean_samples_per_client=53,
    stdev_samples_per_client=32,
)
_LEAF = DocumentedStatistics(
    num_clients=660_120,
    num_samples=1_600_498,
    mean_samples_per_client=2.42,
    stdev_samples_per_client=4.71,
)


@dataclasses.dataclass(frozen=True)
class TweetDataset(FederatedDataset):
    """A federated data set of tweets whose words have numbers.

    Attributes:
        vocabulary: What the numbers mean; None where `x` is text.
    """

    vocabulary: Vocabulary | None = None


def sent140(
    *,
    seed: int = 0,
    data_dir: str | os.PathLike[str] | None = None,
    embeddings: str = LEARNED,
    min_tweets_per_account: int = 31,
    sample_fraction: float = 0.3,
    train_fraction: float = 0.8,
) -> FederatedDataset:
    """FedFa's and FedProx's Sent140: a sample of accounts, those with many tweets.

    As in FedProx's script (`-s niid --sf 0.3 -k 30 -tf 0.8 -t sample`), accounts are drawn at
    random until they have 30 % of all tweets, see `sample_clients`. Those with more than 30 tweets
    are kept, and each account's tweets are split at random. 772 accounts are documented.

    Args:
        seed: The seed of sample and split, a non-negative integer.
        data_dir: The folder of raw and cached data, see `find_tweets`.
        embeddings: What stands for words. `learned`: the model learns it; `glove:FILE`: fixed
            vectors, see `vocabulary_of`; `none`: nothing, tweets are left as text.
        min_tweets_per_account: Accounts with fewer are left out; at least 1.
        sample_fraction: The share of all tweets whose accounts are looked at, in (0, 1].
        train_fraction: The share of each account's tweets used for training, in (0, 1].

    Returns:
        The data set, a `TweetDataset`. `x`: [25] int32, the numbers of the first 25 tokens in
        `vocabulary`, with 0 for unknown words and after the end; `y`: scalar int32, 1 where the
        tweet is positive, else 0. With `embeddings="none"`, `x` is [5] text as in LEAF's JSON: id,
        date, query, account, text.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If tweets or vectors cannot be read or downloaded, or no account has enough
            tweets.
    """
    _check(embeddings, train_fraction, seed)
    check_integer("min_tweets_per_account", min_tweets_per_account, least=1)
    check_fraction("sample_fraction", sample_fraction)
    tweets, origin = find_tweets("sent140", data_dir=data_dir)
    all_accounts = _by_account(tweets)
    sizes = [len(rows) for rows in all_accounts.values()]
    chosen = sample_clients(sizes, num_samples=max(1, int(sample_fraction * sum(sizes))), seed=seed)
    accounts = {
        account: rows[kept]
        for (account, rows), kept in zip(all_accounts.items(), chosen)
        if len(kept) >= min_tweets_per_account
    }
    if not accounts:
        raise DataError(
            f"data set 'sent140': {origin} has too few tweets per account: among"
            f" {sum(map(bool, map(len, chosen)))} accounts with {sample_fraction:.0%} of all tweets"
            f" none has min_tweets_per_account = {min_tweets_per_account} (of all {len(sizes)}"
            f" accounts, the busiest has {max(sizes)}); it needs the whole Sentiment140, or a lower"
            " min_tweets_per_account."
        )
    return _federate(
        "sent140",
        tweets,
        accounts,
        data_dir=data_dir,
        embeddings=embeddings,
        train_fraction=train_fraction,
        seed=seed,
        documented=_FED_FA,
        origin=origin,
    )


def leaf_sent140(
    *,
    seed: int = 0,
    data_dir: str | os.PathLike[str] | None = None,
    embeddings: str = LEARNED,
    train_fraction: float = 0.9,
    leaf_split: bool = False,
) -> FederatedDataset:
    """LEAF's Sent140: all accounts, each account's tweets split at random.

    Decision: accounts with a single tweet, most of them, stay, with a training example alone,
    unless `leaf_split` says otherwise.

    Args:
        seed: The seed of the split, a non-negative integer.
        data_dir: As in `sent140`.
        embeddings: As in `sent140`.
        train_fraction: As in `sent140`; LEAF's default is 0.9.
        leaf_split: Whether accounts without a test tweet are left out, as LEAF's script does. The
            660,120 accounts and 1,600,498 tweets that LEAF states are those before it.

    Returns:
        The data set; its samples as in `sent140`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If tweets or vectors cannot be read or downloaded.
    """
    check_truth_value("leaf_split", leaf_split)
    _check(embeddings, train_fraction, seed)
    tweets, origin = find_tweets("leaf_sent140", data_dir=data_dir)
    return _federate(
        "leaf_sent140",
        tweets,
        _by_account(tweets),
        data_dir=data_dir,
        embeddings=embeddings,
        train_fraction=train_fraction,
        seed=seed,
        documented=_LEAF,
        origin=origin,
        leaf_split=leaf_split,
    )


def check_embeddings(embeddings: str) -> None:
    """Checks what is to stand for words, see `sent140`.

    Raises:
        ValueError: If there is no such thing.
    """
    check_type("embeddings", embeddings, str)
    is_glove = embeddings.startswith(_GLOVE_PREFIX) and embeddings != _GLOVE_PREFIX
    if not is_glove and embeddings not in (LEARNED, TEXT):
        raise ValueError(
            f"embeddings is {embeddings!r}; it must be {LEARNED!r}, {TEXT!r} or"
            f" '{_GLOVE_PREFIX}FILE'."
        )


def vocabulary_of(
    embeddings: str,
    *,
    training: Iterable[str],
    every: Iterable[str],
    data_dir: str | os.PathLike[str] | None = None,
) -> Vocabulary | None:
    """Numbers the words of texts.

    Args:
        embeddings: What stands for words, see `sent140`.
        training: The texts of training examples, whose words are learned.
        every: All texts; fixed vectors are kept for their words.
        data_dir: The folder of raw data. A file of vectors that is not found elsewhere is looked
            for there; its name may be a pattern.

    Returns:
        The words with their numbers; None if tweets stay text.

    Raises:
        DataError: If the vectors cannot be read.
    """
    if embeddings == TEXT:
        return None
    if embeddings == LEARNED:
        return learned_vocabulary(training)
    path = pathlib.Path(embeddings[len(_GLOVE_PREFIX) :]).expanduser()
    if not path.is_absolute() and not path.exists():
        path = find_file(resolve_data_dir(data_dir), str(path)) or resolve_data_dir(data_dir) / path
    return glove_vocabulary(path, every)


def _check(embeddings: str, train_fraction: float, seed: int) -> None:
    check_embeddings(embeddings)
    check_fraction("train_fraction", train_fraction)
    check_seed("seed", seed)


def _by_account(tweets: Tweets) -> dict[str, npt.NDArray[np.int64]]:
    """Each account's tweets, in their order; the accounts in alphabetical order, as LEAF's."""
    rows_of: dict[str, list[int]] = collections.defaultdict(list)
    for row, account in enumerate(tweets.accounts):
        rows_of[account].append(row)
    return {account: np.array(rows_of[account], np.int64) for account in sorted(rows_of)}


def _federate(
    name: str,
    tweets: Tweets,
    accounts: dict[str, npt.NDArray[np.int64]],
    *,
    data_dir: str | os.PathLike[str] | None,
    embeddings: str,
    train_fraction: float,
    seed: int,
    documented: DocumentedStatistics,
    origin: str,
    leaf_split: bool = False,
) -> TweetDataset:
    """Splits the tweets of the given accounts, and numbers their words."""
    train, test = partitioners.train_test_split(
        list(accounts.values()), train_fraction=train_fraction, seed=seed
    )
    if leaf_split:
        left, train, test = partitioners.drop_untested(list(accounts), train, test, dataset=name)
        accounts = {account: accounts[account] for account in left}
    texts = tweets.texts
    vocabulary = vocabulary_of(
        embeddings,
        training=(texts[row] for rows in train for row in rows),
        every=(texts[row] for rows in accounts.values() for row in rows),
        data_dir=data_dir,
    )

    def clients(partitions: Sequence[npt.NDArray[np.int64]]) -> ArrayClientData:
        rows = np.concatenate(partitions)
        x: npt.NDArray[np.int32] | npt.NDArray[np.object_]
        if vocabulary is None:
            x = np.array([tweets.fields[row] for row in rows], object).reshape(len(rows), 5)
        else:
            x = vocabulary.encode([texts[row] for row in rows])
        return ArrayClientData.from_arrays(
            list(accounts),
            collections.OrderedDict(x=x, y=tweets.is_positive[rows]),
            row_splits_from_counts([len(partition) for partition in partitions]),
        )

    return TweetDataset(
        name=name,
        train=clients(train),
        test=clients(test),
        seed=seed,
        num_classes=2,
        documented=documented,
        origin=f"{origin}, embeddings {embeddings}",
        vocabulary=vocabulary,
    )
