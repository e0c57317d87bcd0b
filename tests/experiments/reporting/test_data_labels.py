from __future__ import annotations

import pytest

from experiments.reporting.data_labels import data_label


@pytest.mark.parametrize(
    ("origins", "label"),
    [
        ([], "letters"),
        ([None], "letters"),
        (["emnist_all.sqlite"], "letters"),
        (["devanagari_letters.npz"] * 2, "letters (stand-in: Devanagari letters)"),
        (
            ["devanagari_letters.npz", "letters.npz"],
            "letters (stand-in: Devanagari letters, other letters)",
        ),
        (
            ["emnist_all.sqlite", "devanagari_letters.npz"],
            "letters (stand-in in part: Devanagari letters)",
        ),
    ],
)
def test_a_data_set_is_named_with_what_stood_in_for_it(origins, label):
    assert data_label("letters", origins) == label
