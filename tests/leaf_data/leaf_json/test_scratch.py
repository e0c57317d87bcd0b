"""Tests of `leaf_data.leaf_json.scratch`."""

from __future__ import annotations

import numpy as np

from leaf_data.leaf_json.scratch import ScratchFile


def test_arrays_come_back_and_are_mapped_as_one():
    arrays = [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.empty((0, 3), np.float32),
        np.arange(12, dtype=np.float32).reshape(3, 4).T[:, :3],  # Not contiguous.
    ]
    scratch = ScratchFile()
    stored = [scratch.store(array) for array in arrays]
    assert [len(array) for array in stored] == [2, 0, 4]
    for array, of_file in zip(arrays, stored):
        np.testing.assert_array_equal(scratch.load(of_file), array)
        assert scratch.load(of_file).shape == array.shape
    mapped = scratch.map(np.dtype(np.float32), (6, 3))
    del scratch
    np.testing.assert_array_equal(mapped, np.concatenate(arrays))
    assert not mapped.flags.writeable


def test_nothing_stored_is_an_empty_array():
    assert ScratchFile().map(np.dtype(np.int32), (0, 5)).shape == (0, 5)
