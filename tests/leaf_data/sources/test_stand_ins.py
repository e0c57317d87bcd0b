"""Tests of `leaf_data.sources.stand_ins`."""

from __future__ import annotations

import pytest

from leaf_data.sources import stand_in


@pytest.mark.parametrize(
    ("origin", "content"),
    [
        ("devanagari_letters.npz", "Devanagari letters"),
        ("letters.npz", "other letters"),
        ("cifar10_jpeg.zip", "JPEG copies"),
        ("cifar10.npz", None),
        ("emnist_byclass.npz", None),
        ("tensorflow_datasets mnist/3.0.1", None),
        (None, None),
    ],
)
def test_what_is_read_in_the_place_of_a_data_sets_own_is_told_from_its_own(origin, content):
    assert stand_in(origin) == content
