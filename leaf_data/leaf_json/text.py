"""Turns the text in LEAF's JSON into numbers: windows of characters, or words of texts."""

from __future__ import annotations

import collections
import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from leaf_data.checks import check_type
from leaf_data.client_data import ArrayClientData
from leaf_data.data_dir import resolve_data_dir
from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.leaf_json.image_names import are_image_names
from leaf_data.sent140.datasets import LEARNED, TweetDataset, check_embeddings, vocabulary_of
from leaf_data.sent140.vocabulary import Vocabulary
from leaf_data.shakespeare.alphabet import ALPHABET, to_symbols

# Only the last of Sentiment140's five texts is read: id, date, query, account and text.
_NUM_TWEET_FIELDS = 5
_POLARITIES = {"0", "2", "4"}
_POSITIVE = "4"

# Strings that are no text. Windows of characters may consist of digits.
_FILE_NAMES = {re.compile(rb"\S*\w\.[A-Za-z]\w{1,4}"): "names of files"}
_NO_WORDS = {
    re.compile(rb"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*"): "numbers as strings",
    re.compile(rb"[A-Za-z0-9+/_=-]{40,}"): "encoded data",
}

_TEXTS_AT_ONCE = 10_000  # Converting texts one by one would take minutes for all of Shakespeare.

_Column = npt.NDArray[Any]


def as_numbers(
    dataset: FederatedDataset,
    *,
    embeddings: str = LEARNED,
    data_dir: str | os.PathLike[str] | None = None,
) -> FederatedDataset:
    """Turns text into the numbers that the models of Shakespeare and Sent140 read.

    * If all `x` have the same number of characters and every `y` is one character, they are windows
      of characters, each with the character that follows.
    * Otherwise they are words. `x` is a text, or the five texts of a tweet, whose last one counts.
      Labels are integers, or text; the sorted different texts are then the classes. Of
      Sentiment140's polarities 4 becomes 1 and the others 0, as in LEAF's script.

    Args:
        dataset: A data set of `read_leaf_json`; it is returned unchanged unless `x` is text.
        embeddings: As `sent140` takes it; used for words only.
        data_dir: As `vocabulary_of` takes it.

    Returns:
        The data set. For characters, `x` is [window] uint8 and `y` a scalar int32, both symbols of
        `ALPHABET`. For words, it is a `TweetDataset` with `x` [25] int32 and `y` a scalar int32.

    Raises:
        ValueError: If `dataset` is none, or `embeddings` is neither `learned` nor `glove:FILE`.
        DataError: If an `x` has several texts but not a tweet's five, or if it is the name of a
            file, a number or encoded data. Also if word vectors cannot be read.
    """
    check_type("dataset", dataset, FederatedDataset)
    check_embeddings(embeddings)
    resolve_data_dir(data_dir)  # Which refuses what is no path.
    splits = (dataset.train, dataset.test)
    if dataset.train.element_type_structure["x"].dtype != tf.string:
        return dataset
    labels = [split.arrays["y"] for split in splits]
    _check_is_text(dataset, _FILE_NAMES)
    texts = [_texts(split.arrays["x"], dataset.name) for split in splits]
    if dataset.train.arrays["x"].ndim == 1 and _are_windows(texts, labels):
        return _of_characters(dataset, texts, labels)
    _check_is_text(dataset, _NO_WORDS)
    every = [*texts[0], *texts[1]]
    vocabulary = vocabulary_of(embeddings, training=texts[0], every=every, data_dir=data_dir)
    return dataset if vocabulary is None else _of_words(dataset, texts, labels, vocabulary)


def _check_is_text(dataset: FederatedDataset, no_text: Mapping[re.Pattern[bytes], str]) -> None:
    every = np.concatenate([split.arrays["x"].ravel() for split in (dataset.train, dataset.test)])
    if are_image_names(every):
        raise DataError(
            f"data set {dataset.name!r}: x is {every[0].decode()!r} and other names of images; name"
            " the folder that holds them with --dataset_option=images=FOLDER."
        )
    for pattern, what in no_text.items():
        if len(every) and all(pattern.fullmatch(text) for text in every):
            raise DataError(
                f"data set {dataset.name!r}: x is {every[0].decode()[:40]!r} and other {what}; it"
                " must be numbers, or text for a model to read."
            )


def _texts(x: _Column, name: str) -> list[str]:
    if x.ndim == 2 and x.shape[1] == _NUM_TWEET_FIELDS:
        x = x[:, -1]
    if x.ndim != 1:
        raise DataError(
            f"data set {name!r}: each x is {' x '.join(map(str, x.shape[1:]))} texts; it must be"
            f" one, or the {_NUM_TWEET_FIELDS} of Sentiment140 (id, date, query, account, text)."
        )
    return _decoded(x)


def _decoded(column: _Column) -> list[str]:
    return [text.decode() for text in column]


def _are_windows(texts: Sequence[list[str]], labels: Sequence[_Column]) -> bool:
    if labels[0].dtype != object:
        return False
    lengths = {len(text) for of_split in texts for text in of_split}
    following = {len(text) for of_split in labels for text in _decoded(of_split)}
    return len(lengths) == 1 and 0 not in lengths and following == {1}


def _of_characters(
    dataset: FederatedDataset, texts: Sequence[list[str]], labels: Sequence[_Column]
) -> FederatedDataset:
    train, test = (
        _clients(
            split,
            _symbols(windows, size=len(texts[0][0])),
            _symbols(_decoded(following), size=1)[:, 0].astype(np.int32),
        )
        for split, windows, following in zip((dataset.train, dataset.test), texts, labels)
    )
    return dataclasses.replace(
        dataset, train=train, test=test, num_classes=len(ALPHABET), alphabet=ALPHABET
    )


def _symbols(texts: list[str], *, size: int) -> npt.NDArray[np.uint8]:
    """The symbols of texts of one size: [len(texts), size]."""
    symbols = np.empty((len(texts), size), np.uint8)
    for begin in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[begin : begin + _TEXTS_AT_ONCE]
        symbols[begin : begin + len(some)] = to_symbols("".join(some)).reshape(len(some), size)
    return symbols


def _of_words(
    dataset: FederatedDataset,
    texts: Sequence[list[str]],
    labels: Sequence[_Column],
    vocabulary: Vocabulary,
) -> FederatedDataset:
    numbers, num_classes = labels, dataset.num_classes
    values = set(map(_as_text, np.concatenate(labels)))
    is_tweet = dataset.train.arrays["x"].ndim == 2 or _POSITIVE in values
    if is_tweet and values <= _POLARITIES:
        numbers, num_classes = [_places(of_split, [_POSITIVE]) for of_split in labels], 2
    elif labels[0].dtype == object:
        classes = sorted(values)
        numbers = [_places(of_split, classes) - 1 for of_split in labels]
        num_classes = len(classes)
    train, test = (
        _clients(split, vocabulary.encode(of_split), of_label)
        for split, of_split, of_label in zip((dataset.train, dataset.test), texts, numbers)
    )
    return TweetDataset(
        name=dataset.name,
        train=train,
        test=test,
        num_classes=num_classes,
        documented=dataset.documented,
        origin=dataset.origin,
        vocabulary=vocabulary,
    )


def _as_text(label: Any) -> str:
    return label.decode() if isinstance(label, bytes) else str(label)


def _places(labels: _Column, values: Sequence[str]) -> npt.NDArray[np.int32]:
    """The place of each label among values, counted from 1; 0 if it is none of them."""
    place_of = {value: place for place, value in enumerate(values, start=1)}
    return np.array([place_of.get(_as_text(label), 0) for label in labels], np.int32)


def _clients(split: ArrayClientData, x: _Column, y: _Column) -> ArrayClientData:
    arrays = collections.OrderedDict(x=x, y=y)
    return ArrayClientData.from_arrays(split.client_ids, arrays, split.row_splits)
