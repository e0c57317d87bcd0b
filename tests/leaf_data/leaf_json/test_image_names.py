"""Tests of `leaf_data.leaf_json.image_names`: LEAF's JSON of CelebA, whose x are files' names."""

import numpy as np
import PIL.Image
import pytest
from leaf_files import write_leaf

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
    train, test = (
        {user: (x[:count], [0, 1][: len(x[:count])]) for user, x in (names or _SMILES).items()}
        for count in (2, 1)
    )
    return write_leaf(folder, train, test), str(folder / "raw")


def test_images_are_read_and_scaled_as_leaf_does(tmp_path):
    """178 by 218 pixels of one colour become 84 by 84 of the same, red 40, 80 and 120."""
    leaf_dir, raw = _write(tmp_path)
    task = load_task("leaf", leaf_dir=leaf_dir, options={"images": raw}, model="fed_adp_cnn")
    dataset = task.dataset
    assert (dataset.client_ids, dataset.num_classes) == (["1", "2"], 2)
    x = dataset.train.arrays["x"]
    assert (x.shape, x.dtype) == ((4, 84, 84, 3), np.uint8)
    np.testing.assert_allclose(x[..., 0].mean(axis=(1, 2)), [40, 80, 120, 40], atol=2)  # As JPEG.
    np.testing.assert_allclose(x[..., 2], 255, atol=2)
    np.testing.assert_array_equal(dataset.train.arrays["y"], [0, 1, 0, 1])
    np.testing.assert_array_equal(dataset.test.arrays["x"][0], x[0])
    model = task.build_model(0)
    assert model.predict_on_batch(model.initial_weights, x).shape == (4, 2)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (_SMILES, {"embeddings": "learned"}, "000001.jpg.*--dataset_option=images=FOLDER"),
        ({"1": ["broken.jpg"]}, {}, "broken.jpg: cannot be read as an image"),
        ({"1": ["deep.png"]}, {}, "deep.png: cannot be read .*its pixels are no bytes: mode I"),
        ({"1": ["../outside.jpg"]}, {}, "is not in the folder of images"),
        ({"1": ["000001.jpg", "a tweet"]}, {}, "x is not the name of one image each"),
        ({"1": [[0.5], [0.25]]}, {}, "of no use"),
    ],
)
def test_names_without_images_and_images_without_names_are_refused(
    tmp_path, names, options, message
):
    leaf_dir, raw = _write(tmp_path, names)
    (tmp_path / "raw" / "broken.jpg").write_bytes(b"no image")
    PIL.Image.fromarray(np.full((4, 4), 40_000, np.uint16)).save(tmp_path / "raw" / "deep.png")
    with pytest.raises(DataError, match=message):
        registry.load("leaf", leaf_dir=leaf_dir, options=options or {"images": raw})
