"""Ways in which files are damaged, for fuzz tests of what reads them; not a test module."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from leaf_data.errors import DataError

_MOST_CHANGES = 3
_ENCODINGS = ("utf-16", "utf-8-sig", "utf-32-be", "latin-1", "cp1252", "cp037", "utf-7")

# Numbers as text that are other numbers, or none at all.
_NUMBERS = (b"NaN", b"-Infinity", b"1e999", b"-1", b"0.5", b"99999999999999999999", b"null", b"")

fuzz = settings(
    max_examples=100,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with a few changes: cut off, bytes flipped, inserted, deleted or repeated, digits
    replaced by another number, or all of it in another encoding."""
    for _ in range(draw(st.integers(1, _MOST_CHANGES))):
        begin = draw(st.integers(0, len(content)))
        end = min(len(content), begin + draw(st.integers(1, 16)))
        content = draw(st.sampled_from(_CHANGES))(draw, content, begin, end)
    return content


def _flip(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    mask = draw(st.integers(1, 255))
    return content[:begin] + bytes(byte ^ mask for byte in content[begin:end]) + content[end:]


def _number(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    while begin < len(content) and not content[begin : begin + 1].isdigit():
        begin += 1
    end = begin
    while content[end : end + 1].isdigit():
        end += 1
    return content[:begin] + draw(st.sampled_from(_NUMBERS)) + content[end:]


def _encode(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    return content.decode("utf-8", "replace").encode(draw(st.sampled_from(_ENCODINGS)), "replace")


_CHANGES: tuple[Callable[[st.DrawFn, bytes, int, int], bytes], ...] = (
    lambda draw, content, begin, end: content[:begin],
    lambda draw, content, begin, end: content[:begin] + content[end:],
    lambda draw, content, begin, end: content[:end] + content[begin:],
    lambda draw, content, begin, end: (
        content[:begin] + draw(st.binary(min_size=1, max_size=8)) + content[begin:]
    ),
    *(_flip, _number, _encode),
)


def read_or_refused(read: Callable[[], Any], named: str) -> Any:
    """What was read, or None for a `DataError` that names the file; all else is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read()
        except DataError as error:
            assert named in str(error)
            return None
