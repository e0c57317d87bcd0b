"""Where Sentiment140's tweets come from: a local file, or else TFDS."""

from __future__ import annotations

import os

from leaf_data import sources
from leaf_data.data_dir import resolve_data_dir
from leaf_data.local_files import find_file
from leaf_data.sent140.tweets import Tweets, read_tweets, tweets_of
from leaf_data.sources.tfds_cache import read_split

UTF8_CSV = "sent140.csv"
TRAINING_CSV = "training.1600000.processed.noemoticon.csv"
TEST_CSV = "testdata.manual.2009.06.14.csv"

_ADDRESS = "http://cs.stanford.edu/people/alecmgo/trainingandtestdata.zip"


def find_tweets(
    dataset: str, *, data_dir: str | os.PathLike[str] | None = None
) -> tuple[Tweets, str]:
    """Reads all tweets there are, those labelled by hand last, as LEAF does.

    Args:
        dataset: The data set's name, for errors.
        data_dir: The folder of raw and cached data, or None for the default. The local files are
            `sent140.csv`, in UTF-8, or Sentiment140's own, in Latin-1:
            `training.1600000.processed.noemoticon.csv`, and `testdata.manual.2009.06.14.csv` if it
            lies beside that; each may be gzipped, with `.gz` behind its name.

    Returns:
        The tweets, and where they come from, to be recorded with results. TFDS' have no ids.

    Raises:
        DataError: If a file cannot be read or is malformed, or there is none and the tweets cannot
            be downloaded.
    """
    root = resolve_data_dir(data_dir)
    path = find_file(root, UTF8_CSV)
    if path is not None:
        return read_tweets(path, encoding="utf-8"), path.name
    path = find_file(root, TRAINING_CSV)
    if path is not None:
        tweets, origin = read_tweets(path, encoding="latin-1"), path.name
        path = find_file(root, TEST_CSV)
        if path is not None:
            by_hand = read_tweets(path, encoding="latin-1")
            tweets, origin = _joined(tweets, by_hand), f"{origin} and {path.name}"
        return tweets, origin
    builder = sources.prepare_tfds(
        dataset,
        "sentiment140",
        data_dir=data_dir,
        address=_ADDRESS,
        looked_for=[root / UTF8_CSV, root / TRAINING_CSV],
    )
    splits = [read_split(builder, split) for split in ("train", "test")]
    by_program, by_hand = (
        tweets_of(
            (str(polarity), ("", *(value.decode("utf-8") for value in values)))
            for polarity, *values in zip(
                *(split[field] for field in ("polarity", "date", "query", "user", "text"))
            )
        )
        for split in splits
    )
    return _joined(by_program, by_hand), f"tensorflow_datasets {builder.info.full_name}"


def _joined(first: Tweets, second: Tweets) -> Tweets:
    return tweets_of(
        (("0", "4")[is_positive], fields)
        for tweets in (first, second)
        for is_positive, fields in zip(tweets.is_positive, tweets.fields)
    )
