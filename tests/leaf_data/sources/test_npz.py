"""Tests of `leaf_data.sources.npz`."""

from __future__ import annotations

import os
import pathlib
import pickle

import image_files
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaf_data.errors import DataError
from leaf_data.sources.npz import FIELDS, check_labels, read_npz

_ARRAYS = image_files.random_arrays(image_shape=(4, 5), per_class=10)


def _written(tmp_path: pathlib.Path, **changes) -> pathlib.Path:
    path = tmp_path / "images.npz"
    arrays = {**_ARRAYS, **changes}
    path.write_bytes(
        image_files.npz_bytes(**{name: a for name, a in arrays.items() if a is not None})
    )
    return path


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, ">i4"])
def test_reads_what_numpy_writes(tmp_path, save, dtype):
    """Whatever the order in memory is, and the integers of the labels."""
    arrays = {**_ARRAYS, "train_x": np.asfortranarray(_ARRAYS["train_x"])}
    arrays["test_y"] = arrays["test_y"].astype(dtype)
    save(tmp_path / "images.npz", **arrays, classes=np.array(["a", "b"]))
    read = read_npz(tmp_path / "images.npz")
    assert list(read) == list(FIELDS)
    for name in FIELDS:
        np.testing.assert_array_equal(read[name], _ARRAYS[name])
        assert read[name].dtype == (np.uint8 if name.endswith("x") else np.int32)
    with pytest.raises(DataError, match="none.npz: is no whole .npz file"):
        read_npz(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test_x": None}, "field 'test_x': is missing; the file holds"),
        ({"train_x": np.zeros((100, 20), np.uint8)}, "'train_x': has shape .100, 20. and dtype"),
        ({"train_x": np.zeros((100, 4, 5), np.float32)}, "'train_x': has .* float32; images must"),
        ({"train_x": np.zeros((0, 4, 5), np.uint8)}, "'train_x': has shape .0, 4, 5."),
        ({"test_x": np.zeros((10, 5, 4), np.uint8)}, "'test_x': has images of shape .5, 4."),
        ({"train_y": np.zeros((100, 10), np.uint8)}, "'train_y': has shape .100, 10."),
        ({"train_y": np.zeros(100)}, "'train_y': has .* float64; labels must be integers"),
        ({"test_y": np.zeros(9, np.uint8)}, "'test_y': has 9 labels for 10 images"),
        ({"test_y": np.array(["a"] * 10)}, "'test_y': has .* labels must be integers"),
    ],
)
def test_other_forms_are_refused(tmp_path, changes, message):
    with pytest.raises(DataError, match=message) as caught:
        read_npz(_written(tmp_path, **changes))
    assert str(caught.value).startswith(str(tmp_path / "images.npz"))


class _Touch:
    """Pickled, it makes a file when it is unpickled."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_nothing_is_unpickled(tmp_path):
    trap = tmp_path / "trap"
    objects = np.array([_Touch(trap)] * 100, object)
    with pytest.raises(DataError, match="field 'train_y': holds pickled objects"):
        read_npz(_written(tmp_path, train_y=objects))
    (tmp_path / "images.npz").write_bytes(pickle.dumps(_Touch(trap)))
    with pytest.raises(DataError, match="is no whole .npz file"):
        read_npz(tmp_path / "images.npz")
    assert not trap.exists()


def test_a_header_that_claims_too_much_is_refused_before_memory_is_taken(tmp_path):
    """The header says 10^15 examples where there are 1000."""
    path = tmp_path / "images.npz"
    np.savez(path, **image_files.random_arrays(image_shape=(4, 5)))
    content = path.read_bytes()
    assert content.count(b"(1000, 4, 5)") == 1
    claimed = content.replace(b"(1000, 4, 5), }" + b" " * 12, b"(1000000000000000, 4, 5), }")
    assert len(claimed) == len(content)
    path.write_bytes(claimed)
    with pytest.raises(DataError, match="field 'train_x': has 20000 bytes for .10000000"):
        read_npz(path)


_CONTENT = image_files.npz_bytes(**_ARRAYS)


@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_damaged_files_are_refused_or_read_rightly(tmp_path, data):
    """Whatever is cut off or overwritten: either `DataError`, or the arrays as they were."""
    content = bytearray(_CONTENT)
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        position = data.draw(st.integers(0, len(content) - 1))
        replacement = data.draw(st.binary(min_size=1, max_size=8))
        content[position : position + len(replacement)] = replacement
    path = tmp_path / "images.npz"
    path.write_bytes(content)
    try:
        arrays = read_npz(path)
    except DataError as error:
        assert str(error).startswith(str(path))
    else:
        for name in FIELDS:
            np.testing.assert_array_equal(arrays[name], _ARRAYS[name])


def test_labels_out_of_range():
    labels = np.array([0, 2, 3, -1], np.int32)
    check_labels(labels[:2], 3, field="train_y", path=pathlib.Path("f.npz"))
    with pytest.raises(DataError, match="f.npz, field 'train_y': has the label 3 at example 2"):
        check_labels(labels, 3, field="train_y", path=pathlib.Path("f.npz"))
