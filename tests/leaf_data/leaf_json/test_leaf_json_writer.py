"""Tests of `leaf_data.leaf_json`'s `writer` and `conventions`."""

from __future__ import annotations

import dataclasses
import json
import pathlib

import numpy as np
import pytest
from leaf_files import assert_same_data

from leaf_data.client_data import ArrayClientData
from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.leaf_json.conventions import leaf_convention
from leaf_data.leaf_json.reader import read_leaf_json
from leaf_data.leaf_json.writer import write_leaf_json
from leaf_data.pixels import PixelScaling
from leaf_data.synthetic import synthetic


def _dataset(train, test=None) -> FederatedDataset:
    return FederatedDataset("toy", ArrayClientData(train), ArrayClientData(test or train))


def test_round_trip_of_every_kind_of_float32(tmp_path):
    """100,000 random bit patterns that are finite, with the extremes, both zeros and denormals."""
    x = np.random.default_rng(0).integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    extremes = [0.0, -0.0, 1e-45, 3.4028235e38, 1.1754944e-38, 16777217.0, 0.1]
    x = np.concatenate([x[np.isfinite(x)], np.array(extremes, np.float32)])
    write_leaf_json(_dataset([("u", {"x": x, "y": np.zeros(len(x), np.int32)})]), tmp_path / "out")
    read = read_leaf_json(tmp_path / "out").train.arrays["x"]
    np.testing.assert_array_equal(read.view(np.uint32), x.view(np.uint32))


def test_round_trip_of_numbers_text_and_empty_test_splits(tmp_path):
    """Also of a `ClientData` without arrays."""
    numbers, y = synthetic(1, 1, num_clients=4), np.array([0, 1], np.int32)
    preprocessed = dataclasses.replace(
        numbers,
        **{split: getattr(numbers, split).preprocess(lambda d: d) for split in ("train", "test")},
    )
    text = _dataset(
        [('\u00fc"\\', {"x": [["a\n", "\u00e9"], ["", "\U0001f600"]], "y": y})],
        [('\u00fc"\\', {"x": np.empty((0, 2), object), "y": y[:0]})],
    )
    integers = _dataset([("u", {"x": np.array([[2**31 - 1], [-(2**31)]], np.int32), "y": y})])
    assert leaf_convention(numbers)(y) is y
    for place, (written, expected) in enumerate(
        ((numbers, numbers), (preprocessed, numbers), (text, text), (integers, integers))
    ):
        write_leaf_json(written, tmp_path / str(place))
        assert_same_data(read_leaf_json(tmp_path / str(place)), expected)


def test_form_is_leafs(tmp_path):
    x = np.array([[0.5], [1.5]], np.float32)
    dataset = _dataset([("a", {"x": x, "y": np.array([3, 4])}), ("b", {"x": x[:1], "y": [5]})])
    write_leaf_json(dataset, tmp_path / "out")
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.json")) == [
        "out/test/toy_test.json",
        "out/train/toy_train.json",
    ]
    written = json.loads((tmp_path / "out" / "train" / "toy_train.json").read_text())
    assert written == {
        "users": ["a", "b"],
        "num_samples": [2, 1],
        "user_data": {"a": {"x": [[0.5], [1.5]], "y": [3, 4]}, "b": {"x": [[0.5]], "y": [5]}},
    }
    assert list(written) == ["users", "num_samples", "user_data"]


def test_existing_data_is_not_overwritten(tmp_path):
    dataset = _dataset([("a", {"x": [1.0], "y": [0]})])
    (tmp_path / "empty").mkdir()
    write_leaf_json(dataset, tmp_path / "empty")
    with pytest.raises(FileExistsError, match="leaf_dir .*empty exists already"):
        write_leaf_json(dataset, tmp_path / "empty")
    (tmp_path / "file").write_text("kept")
    with pytest.raises(FileExistsError, match="exists already"):
        write_leaf_json(dataset, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize(
    "x", [np.array([1.0, np.nan], np.float32), np.array([b"ok", b"\xff"], object)]
)
def test_failure_and_interruption_leave_nothing_behind(tmp_path, x, monkeypatch):
    """The second client cannot be written; the first one's half of the file goes, too."""
    train = [("a", {"x": x[:1], "y": [0]}), ("b", {"x": x[1:], "y": [0]})]
    with pytest.raises(DataError, match="client 'b': cannot be written"):
        write_leaf_json(_dataset(train), tmp_path / "deep" / "out")
    with pytest.raises(DataError, match="'toy' has numbers as labels"):
        write_leaf_json(_dataset([("a", {"x": x[:1], "y": [0.5]})]), tmp_path / "deep" / "out")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(pathlib.Path, "rename", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_leaf_json(_dataset(train[:1]), tmp_path / "deep" / "out")
    assert not list((tmp_path / "deep").iterdir())


def _written(dataset, folder) -> dict:
    write_leaf_json(dataset, folder, convert=leaf_convention(dataset))
    return json.loads((folder / "train" / f"{dataset.name}_train.json").read_text())


def test_windows_of_symbols_are_text_and_other_bytes_are_numbers(tmp_path):
    """Both have two classes; 0 and 1 are a and b."""
    examples = {"x": np.array([[0, 1, 1]], np.uint8), "y": np.array([1], np.int32)}
    numbers = dataclasses.replace(_dataset([("u", examples)]), num_classes=2)
    symbols = dataclasses.replace(numbers, alphabet="ab")
    found = [
        _written(each, tmp_path / each.name)
        for each in (
            dataclasses.replace(numbers, name="numbers"),
            dataclasses.replace(symbols, name="symbols"),
        )
    ]
    assert [each["user_data"]["u"] for each in found] == [
        {"x": [[0, 1, 1]], "y": [1]},
        {"x": ["abb"], "y": ["b"]},
    ]


def test_images_are_flat_numbers_scaled_as_the_data_set_says(tmp_path):
    """Pixel 128 is 128/255 = 0.5019608, with no more digits than 32 bits need.

    With the means 0, 1, ..., 5 and the deviations 10, 20, ..., 60 the last, which is 3, becomes
    (3 - 5) / 60.
    """
    shape = (2, 1, 3)
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
