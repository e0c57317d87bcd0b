"""Tests of `leaf_data.shakespeare.roles` and `alphabet`."""

from __future__ import annotations

import numpy as np

from leaf_data.shakespeare.alphabet import ALPHABET, UNKNOWN_SYMBOL, to_symbols, to_text
from leaf_data.shakespeare.roles import Role, roles_of


def test_windows_are_80_characters_and_the_next():
    text = "".join(chr(ord("a") + place % 26) for place in range(83))
    role = Role("id", text)
    x, y = role.windows()
    assert (x.shape, x.dtype, y.shape, y.dtype) == ((3, 80), np.uint8, (3,), np.int32)
    assert role.num_windows == 3
    for place in range(3):
        assert to_text(x[place]) == text[place : place + 80]
        assert to_text(y[place : place + 1]) == text[place + 80]


def test_lines_become_one_with_single_spaces():
    """`a b c ` and so on: joined by spaces, one at the end, and runs of them become one."""
    (role,) = roles_of([("A Play, Indeed", "ROLE", ["a   b", "", "c", "x" * 80])])
    assert role == Role("A_Play__Indeed_ROLE", "a b c " + "x" * 80 + " ")


def test_roles_that_say_too_little_are_dropped():
    """Two lines are too few however long; 80 characters, the last space among them, as well."""
    roles = roles_of(
        [
            ("P", "two", ["x" * 100] * 2),
            ("P", "short", ["x", "x", "x" * 75]),
            ("P", "three", ["x", "x", "x" * 76]),
        ]
    )
    assert [(role.client_id, len(role.text)) for role in roles] == [("P_three", 81)]
    assert roles[0].num_windows == 1


def test_names_that_become_the_same_are_one_role():
    lines = ["x" * 50] * 2
    (role,) = roles_of([("P", "Sir-Toby", lines), ("P", "Sir Toby", lines)])
    assert role.client_id == "P_Sir_Toby"
    assert role.num_windows == 4 * 51 - 80


def test_there_are_80_symbols_and_all_else_is_unknown():
    """LEAF's: newline, space, 10 marks, 10 digits, 4 marks, 26, 2 brackets, 26, a brace."""
    assert len(ALPHABET) == len(set(ALPHABET)) == 80
    assert [ALPHABET.index(character) for character in "\n a}"] == [0, 1, 53, 79]
    symbols = to_symbols(ALPHABET)
    assert symbols.dtype == np.uint8
    np.testing.assert_array_equal(symbols, np.arange(80))
    assert to_text(symbols) == ALPHABET
    unknown = to_symbols("a$\t\x80é–\U0001f600\ud800b")
    assert unknown.tolist() == [53, *[UNKNOWN_SYMBOL] * 7, 54]
    assert to_text(unknown) == "a}}}}}}}b"
    assert len(to_symbols("")) == 0
