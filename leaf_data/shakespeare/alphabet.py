"""LEAF's alphabet: 80 symbols, and their numbers."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import numpy.typing as npt

# LEAF, models/utils/language_utils.py: the characters in the order of their codes.
ALPHABET = (
    "\n !\"&'(),-.0123456789:;>?" + string.ascii_uppercase + "[]" + string.ascii_lowercase + "}"
)

UNKNOWN_SYMBOL = len(ALPHABET) - 1
"""What characters outside the alphabet become: the last symbol, of `}`.

LEAF looks a character up with `str.find`, whose -1 for "not there" is the last position of a
one-hot vector. The brace itself is a misprint that the text has twice. So 80 symbols do for all.
"""

_SYMBOL_OF_CODE = np.full(129, UNKNOWN_SYMBOL, np.uint8)
_SYMBOL_OF_CODE[[ord(character) for character in ALPHABET]] = np.arange(len(ALPHABET))


def to_symbols(text: str) -> npt.NDArray[np.uint8]:
    """The symbols of a text.

    Args:
        text: Any text.

    Returns:
        [len(text)] uint8, in `0..79`.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return _SYMBOL_OF_CODE[np.minimum(codes, len(_SYMBOL_OF_CODE) - 1)]


def to_text(symbols: npt.NDArray[np.integer[Any]], alphabet: str = ALPHABET) -> str:
    """The text of symbols; where one was unknown to `ALPHABET` it has a `}`.

    Args:
        symbols: [num_symbols] integers in `0..len(alphabet)-1`.
        alphabet: The characters that they stand for.

    Returns:
        The text.
    """
    return "".join(alphabet[symbol] for symbol in symbols)
