"""Tests of `leaf_data.sources.image_zip`."""

from __future__ import annotations

import zipfile

import image_files
import numpy as np
import pytest

from leaf_data.errors import DataError
from leaf_data.sources.image_zip import read_image_zip

_SHAPE = (8, 8, 3)


def test_labels_are_the_alphabetical_places_of_the_classes(tmp_path):
    """Cats (dark) are class 0 and dogs (bright) 1, although dogs were written first."""
    image_files.write_image_zip(tmp_path / "images.zip")
    with pytest.warns(UserWarning, match="images.zip: its images are JPEG, which is lossy"):
        arrays = read_image_zip(tmp_path / "images.zip", image_shape=_SHAPE)
    assert arrays["train_y"].tolist() == [0, 0, 0, 1, 1, 1]
    assert arrays["test_y"].tolist() == [0, 1]
    assert arrays["train_y"].dtype == np.int32
    assert arrays["train_x"].dtype == np.uint8
    np.testing.assert_allclose(arrays["train_x"][0], np.full(_SHAPE, 20), atol=3)
    np.testing.assert_allclose(arrays["test_x"][1], np.full(_SHAPE, 200), atol=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda name, content: None if "test/" in name else content, "has no test/<class>/<name>"),
        (lambda name, content: None if name.startswith("test/cat") else content, "in test"),
        (lambda name, content: b"no image", "train/cat/0000.jpg: is no whole JPEG"),
    ],
)
def test_other_content_is_refused(tmp_path, change, message):
    """Each member is what `change(name, content)` makes of it; None leaves it out."""
    path = tmp_path / "images.zip"
    image_files.write_image_zip(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: change(name, archive.read(name)) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)
    with pytest.raises(DataError, match=message) as caught:
        read_image_zip(path, image_shape=_SHAPE)
    assert str(caught.value).startswith(str(path))


def test_other_shapes_and_truncated_files_are_refused(tmp_path):
    path = tmp_path / "images.zip"
    image_files.write_image_zip(path)
    with pytest.raises(DataError, match=r"is an image of shape \(8, 8, 3\), not \(32, 32, 3\)"):
        read_image_zip(path, image_shape=(32, 32, 3))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="images.zip: is no whole zip file"):
        read_image_zip(path, image_shape=_SHAPE)
