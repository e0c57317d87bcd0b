"""The exception for data that is missing or malformed."""

from __future__ import annotations


class DataError(ValueError):
    """Input data is missing, truncated, malformed or mislabelled.

    The message names the file and, where they are known, the client and the field.
    """
