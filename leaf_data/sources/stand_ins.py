"""Files that are read in the place of a data set's own: results on them are not quite its own."""

from __future__ import annotations

from collections.abc import Mapping

CIFAR10_JPEG = "cifar10_jpeg.zip"
# In order of preference.
LETTERS: Mapping[str, str] = {
    "letters.npz": "other letters",
    "devanagari_letters.npz": "Devanagari letters",
}
_CONTENTS: Mapping[str, str] = {**LETTERS, CIFAR10_JPEG: "JPEG copies"}


def stand_in(origin: str | None) -> str | None:
    """Says what raw data are, if they stand in for a data set's own.

    Args:
        origin: A `FederatedDataset`'s.

    Returns:
        In two words what they are, None where they are the data set's own.
    """
    return None if origin is None else _CONTENTS.get(origin)
