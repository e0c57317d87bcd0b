"""Tests of `leaf_data.sources.stand_ins`."""

from __future__ import annotations

import pytest

from leaf_data.sources.stand_ins import option_for, stand_in


@pytest.mark.parametrize(
    ("origin", "content"),
    [
        ("devanagari_letters.npz", "Devanagari letters"),
        ("letters.npz", "other letters"),
        ("emnist_letters_a_to_m.npz", "letters of either case"),
        ("femnist_leaf_subset.npz", "a part of FEMNIST"),
        ("cifar10_jpeg.zip", "JPEG copies"),
        ("cifar10.npz", None),
        ("emnist_byclass.npz", None),
        ("tensorflow_datasets mnist/3.0.1", None),
        (None, None),
    ],
)
def test_what_is_read_in_the_place_of_a_data_sets_own_is_told_from_its_own(origin, content):
    assert stand_in(origin) == content


@pytest.mark.parametrize(
    ("origin", "option"),
    [
        ("devanagari_letters.npz", {"letters": "devanagari"}),
        ("letters.npz", {"letters": "emnist_letters"}),
        ("emnist_letters_test.npz", {"letters": "emnist_letters"}),
        ("emnist_byclass.npz", {}),
        ("mnist.npz", {}),
        (None, {}),
    ],
)
def test_which_option_reads_what_was_read(origin, option):
    assert option_for(origin) == option
