"""The changes that `make mutations` makes, which modules it knows, and what it calls explained."""

from __future__ import annotations

import pathlib

import pytest
from changes import changes_of
from explained import EXPLAINED
from targets import TARGETS, forgotten

_REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a = b + c", ["a = b - c"]),
        ("a = b <= c", ["a = b < c"]),
        ("a = b and c", ["a = b or c"]),
        ("a = not b", ["a = not not b"]),
        ("a = -b", ["a = +b"]),
        ("a = True", ["a = False"]),
        ("a = 0.5", ["a = 1.5"]),
        ("a = tf.reduce_sum(b)", ["a = tf.reduce_mean(b)"]),
        ("a = tf.math.divide_no_nan(b, c)", ["a = tf.math.divide(b, c)"]),
        ("a = tf.where(b, c, d)", ["a = tf.where(b, d, c)"]),
        ("a = b if c else d", ["a = d if c else b"]),
        ("if a:\n    b = c", ["if not a:"]),
        ("a.close()", ["without a.close()"]),
    ],
)
def test_a_change(source, changed):
    assert sorted(change.text for change in changes_of(source)) == changed


def test_what_is_left_as_it_is():
    for source in (
        '"""What it is."""',
        "def f(a: x[0]) -> y[1]:\n    return a",
        'raise ValueError(f"must be {1 + a}")',
        "A: TypeAlias = b[0]",
        "__all__ = [a + b]",
    ):
        assert changes_of(source) == []


def test_each_is_a_module_of_its_own_that_can_be_compiled():
    """Two places, and the first has two: `<` and `1`."""
    changes = changes_of("a = b < 1\nc = d * e\n")
    assert [change.line for change in changes] == [1, 1, 2]
    sources = {change.source for change in changes}
    assert sources == {"a = b <= 1\nc = d * e", "a = b < 2\nc = d * e", "a = b < 1\nc = d / e"}


def test_no_module_is_forgotten():
    assert forgotten(_REPOSITORY) == []
    for module, tests in TARGETS.items():
        assert all((_REPOSITORY / path).exists() for path in (module, *tests))


def test_every_explanation_is_of_a_change_that_can_be_made():
    for module in {module for module, _ in EXPLAINED}:
        made = {change.text for change in changes_of((_REPOSITORY / module).read_text())}
        explained = {text for other, text in EXPLAINED if other == module}
        assert explained <= made, explained - made
