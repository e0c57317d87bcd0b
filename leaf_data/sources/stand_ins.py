"""Raw data that stand in for a data set's own, or are only a part of them."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping

CIFAR10_JPEG = "cifar10_jpeg.zip"
FEMNIST_BY_WRITER = "femnist*.npz"
# Other letters than FEMNIST's by what the option `letters` calls them, and their files.
LETTERS: Mapping[str, tuple[str, ...]] = {
    "emnist_letters": ("emnist_letters*.npz", "letters.npz"),
    "devanagari": ("devanagari_letters.npz",),
}
_CONTENTS: Mapping[str, str] = {
    "devanagari_letters.npz": "Devanagari letters",
    "emnist_letters*.npz": "letters of either case",
    "letters.npz": "other letters",
    FEMNIST_BY_WRITER: "a part of FEMNIST",
    CIFAR10_JPEG: "JPEG copies",
}


def stand_in(origin: str | None) -> str | None:
    """Says what raw data are, if they are not the whole of a data set's own.

    Args:
        origin: A `FederatedDataset`'s.

    Returns:
        In a few words what they are, None where they are the data set's own.
    """
    for pattern, content in _CONTENTS.items():
        if origin is not None and fnmatch.fnmatch(origin, pattern):
            return content
    return None
