"""The content of LEAF's JSON for each kind of data, as other code expects it."""

from __future__ import annotations

import collections
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from leaf_data.examples import Examples
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.pixels import PixelScaling
from leaf_data.shakespeare.alphabet import to_text

_TWEETS = ("sent140", "leaf_sent140")


def leaf_convention(dataset: FederatedDataset) -> Callable[[Examples], Examples]:
    """How the examples of a data set are written.

    * Images are flat lists of their scaled bytes (`dataset.pixels`): numbers in [0, 1] unless the
      data set says otherwise.
    * Windows of symbols (`dataset.alphabet`) are text: their characters, and the one after them.
    * Tweets must be loaded with `embeddings="none"`. They are five texts, and the polarity is "0"
    or
      "4", as in Sentiment140's files. FedProx and fair_flearn expect this; LEAF's own code wants 0
      or 1.
    * Everything else is not changed.

    Args:
        dataset: The data set.

    Returns:
        A function from a client's examples to what is written.
    """
    x = dataset.train.element_type_structure["x"]
    if dataset.alphabet is not None:
        return _as_characters(dataset.alphabet)
    if dataset.name in _TWEETS and x.dtype == tf.string:
        return _as_polarities
    if x.dtype == tf.uint8 and x.shape.rank > 1:
        return _flat_pixels(dataset.pixels)
    return lambda examples: examples


def _as_characters(alphabet: str) -> Callable[[Examples], Examples]:
    def convert(examples: Examples) -> Examples:
        windows = [to_text(window, alphabet).encode() for window in examples["x"]]
        following = [alphabet[symbol].encode() for symbol in examples["y"]]
        return collections.OrderedDict(x=np.array(windows, object), y=np.array(following, object))

    return convert


def _as_polarities(examples: Examples) -> Examples:
    polarities = [(b"0", b"4")[label] for label in examples["y"]]
    return collections.OrderedDict(x=examples["x"], y=np.array(polarities, object))


def _flat_pixels(pixels: PixelScaling) -> Callable[[Examples], Examples]:
    # The shortest decimals with the same 32-bit value. A 64-bit number would be written with twice
    # as many digits.
    of_bytes = pixels(np.arange(256, dtype=np.float32).reshape(256, *[1] * pixels.mean.ndim))
    decimals = np.array([float(str(value)) for value in of_bytes.flat]).reshape(256, -1)

    def convert(examples: Examples) -> Examples:
        images = examples["x"]
        flat = images.reshape(len(images), int(np.prod(images.shape[1:])))
        columns = np.arange(flat.shape[1]) % decimals.shape[1]  # One for all, or one each.
        return collections.OrderedDict(x=decimals[flat, columns], y=examples["y"])

    return convert
