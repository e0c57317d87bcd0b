"""Tests of `leaf_data.leaf_json.image_names`: LEAF's JSON of CelebA, whose x are files' names."""

from __future__ import annotations

import json

import numpy as np
import PIL.Image
import pytest

from leaf_data import registry
from leaf_data.errors import DataError
from leaf_data.tasks import load_task

_SMILES = {"1": ["000001.jpg", "000002.png"], "2": ["000003.jpg", "000001.jpg"]}


def _write(folder, names=None):
    """The users 1 and 2 with two images each in train and one in test, and all images."""
    (folder / "raw").mkdir()
    for number, name in enumerate(("000001.jpg", "000002.png", "000003.jpg"), start=1):
        image = np.full((218, 178, 3), [40 * number, 0, 255], np.uint8)
        PIL.Image.fromarray(image).save(folder / "raw" / name)
    for split, count in (("train", 2), ("test", 1)):
        users = {user: of_user[:count] for user, of_user in (names or _SMILES).items()}
        document = {
            "users": list(users),
            "num_samples": [len(x) for x in users.values()],
            "user_data": {user: {"x": x, "y": [0, 1][: len(x)]} for user, x in users.items()},
        }
        (folder / split).mkdir()
        (folder / split / "all_data.json").write_text(json.dumps(document))
    return str(folder), str(folder / "raw")


def test_images_are_read_and_scaled_as_leaf_does(tmp_path):
    """178 by 218 pixels of one colour become 84 by 84 of the same, red 40, 80 and 120."""
    leaf_dir, raw = _write(tmp_path)
    task = load_task("leaf", leaf_dir=leaf_dir, options={"images": raw}, model="fed_adp_cnn")
    dataset = task.dataset
    assert (dataset.client_ids, dataset.num_classes) == (["1", "2"], 2)
    x = dataset.train.arrays["x"]
    assert (x.shape, x.dtype) == ((4, 84, 84, 3), np.uint8)
    reds = [40, 80, 120, 40]  # JPEG errs by a little.
    np.testing.assert_allclose(x[..., 0].mean(axis=(1, 2)), reds, atol=2)
    np.testing.assert_allclose(x[..., 2], 255, atol=2)
    np.testing.assert_array_equal(dataset.train.arrays["y"], [0, 1, 0, 1])
    np.testing.assert_array_equal(dataset.test.arrays["x"][0], x[0])
    model = task.build_model(0)
    assert model.predict_on_batch(model.initial_weights, x).shape == (4, 2)


@pytest.mark.parametrize("embeddings", ["learned", "none"])
def test_names_of_images_are_no_words(tmp_path, embeddings):
    leaf_dir, _ = _write(tmp_path)
    with pytest.raises(DataError, match="000001.jpg.*--dataset_option=images=FOLDER"):
        registry.load("leaf", leaf_dir=leaf_dir, options={"embeddings": embeddings})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("000009.jpg", "000009.jpg: cannot be read as an image .No such file"),
        ("broken.jpg", "broken.jpg: cannot be read as an image"),
        ("../outside.jpg", "is not in the folder of images"),
        ("/outside.jpg", "is not in the folder of images"),
        ("a tweet", "x is not the name of one image each"),
    ],
)
def test_an_image_that_cannot_be_read_is_named(tmp_path, name, message):
    leaf_dir, raw = _write(tmp_path, {"1": ["000001.jpg", name]})
    (tmp_path / "raw" / "broken.jpg").write_bytes(b"no image")
    with pytest.raises(DataError, match=message):
        registry.load("leaf", leaf_dir=leaf_dir, options={"images": raw})


def test_a_folder_of_images_is_of_no_use_for_numbers(tmp_path):
    leaf_dir, raw = _write(tmp_path, {"1": [[0.5], [0.25]]})
    with pytest.raises(DataError, match="of no use"):
        registry.load("leaf", leaf_dir=leaf_dir, options={"images": raw})
