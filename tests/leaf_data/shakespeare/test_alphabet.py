"""Tests of `leaf_data.shakespeare.alphabet`."""

from __future__ import annotations

import numpy as np

from leaf_data.shakespeare.alphabet import ALPHABET, UNKNOWN_SYMBOL, to_symbols, to_text


def test_there_are_80_symbols_in_the_order_of_their_codes():
    """LEAF's: newline, space, 10 marks, 10 digits, 4 marks, 26, 2 brackets, 26, a brace."""
    assert len(ALPHABET) == len(set(ALPHABET)) == 80
    assert list(ALPHABET) == sorted(ALPHABET)
    assert [ALPHABET.index(character) for character in "\n a}"] == [0, 1, 53, 79]


def test_symbols_and_text_are_inverse():
    symbols = to_symbols(ALPHABET)
    assert symbols.dtype == np.uint8
    np.testing.assert_array_equal(symbols, np.arange(80))
    assert to_text(symbols) == ALPHABET


def test_all_other_characters_are_one_unknown_symbol():
    symbols = to_symbols("a$\t\x80é–\U0001f600\ud800b")
    assert symbols.tolist() == [53, *[UNKNOWN_SYMBOL] * 7, 54]
    assert to_text(symbols) == "a}}}}}}}b"
    assert len(to_symbols("")) == 0
