"""Tests of `leaf_data.leaf_json.conventions`."""

from __future__ import annotations

import collections
import dataclasses
import json

import numpy as np
import pytest
import text_files

from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.leaf_json.conventions import leaf_convention
from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.pixels import PixelScaling
from leaf_data.sent140 import leaf_sent140
from leaf_data.synthetic import synthetic


def _written(dataset, folder) -> dict:
    write_leaf_json(dataset, folder, convert=leaf_convention(dataset))
    return json.loads((folder / "train" / f"{dataset.name}_train.json").read_text())


@pytest.mark.parametrize("shape", [(2, 3), (2, 1, 3)])
def test_images_are_flat_numbers_scaled_as_the_data_set_says(tmp_path, shape):
    """Pixel 128 is 128/255 = 0.5019608, with no more digits than 32 bits need.

    With the means 0, 1, ..., 5 and the deviations 10, 20, ..., 60 the last, which is 3, becomes
    (3 - 5) / 60.
    """
    pixels = np.array([[0, 128, 255, 1, 2, 3]], np.uint8).reshape(1, *shape)
    clients = ArrayClientData({"a": {"x": pixels, "y": np.array([7], np.int32)}})
    dataset = FederatedDataset(name="images", train=clients, test=clients, num_classes=10)
    written = _written(dataset, tmp_path / "unit")
    (image,) = written["user_data"]["a"]["x"]
    assert image[:3] == [0.0, 0.5019608, 1.0]
    assert written["user_data"]["a"]["y"] == [7]
    read = read_leaf_json(tmp_path / "unit").train.examples("a")["x"]
    np.testing.assert_array_equal(read, (pixels.reshape(1, 6) / 255).astype(np.float32))

    scaling = PixelScaling(np.arange(6).reshape(shape), 10 * np.arange(1, 7).reshape(shape))
    scaled = dataclasses.replace(dataset, pixels=scaling)
    (image,) = _written(scaled, tmp_path / "scaled")["user_data"]["a"]["x"]
    np.testing.assert_allclose(image, [0, 127 / 20, 253 / 30, -2 / 40, -2 / 50, -2 / 60], 1e-6)
    assert image[3:] == [-0.05, -0.04, -0.033333335]


def test_tweets_are_sentiment140s_columns(tmp_path):
    """As FedProx' script writes them: the polarity apart, the other five in their order."""
    rows = [text_files.tweet("ann", "caf\xe9 \u2013 good", 4, 9), text_files.tweet("bob", "bad", 0)]
    text_files.write_tweets(tmp_path / "sent140.csv.gz", rows)
    dataset = leaf_sent140(data_dir=str(tmp_path), embeddings="none")
    written = _written(dataset, tmp_path / "out")
    assert written["user_data"] == {
        "ann": {"x": [rows[0][1:]], "y": ["4"]},
        "bob": {"x": [rows[1][1:]], "y": ["0"]},
    }
    assert read_leaf_json(tmp_path / "out").num_clients == 2


def test_all_else_is_as_it_is():
    examples = collections.OrderedDict(x=np.zeros((1, 2)), y=np.zeros(1))
    assert leaf_convention(synthetic(num_clients=1))(examples) is examples
