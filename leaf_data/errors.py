"""The one exception for data that cannot be trusted."""

from __future__ import annotations


class DataError(ValueError):
    """Input data is missing, truncated, malformed or mislabelled.

    The message names the file and, where they are known, the client and the field.
    """
