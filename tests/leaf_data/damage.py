"""Ways in which files are damaged, for fuzz tests of what reads them; not a test module."""

from __future__ import annotations

import contextlib
import signal
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from leaf_data.errors import DataError

_SECONDS = 30
_MOST_CHANGES = 3
_ENCODINGS = ("utf-16", "utf-8-sig", "utf-32-be", "latin-1", "cp1252", "cp037", "utf-7")

# Numbers as text that are other numbers, or none at all.
_NUMBERS = (b"NaN", b"-Infinity", b"1e999", b"-1", b"0.5", b"99999999999999999999", b"null", b"")

fuzz = settings(
    max_examples=100,
    deadline=1000 * _SECONDS,
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
        change = draw(st.sampled_from(_CHANGES))
        content = change(draw, content, begin, end)
    return content


def _cut(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    return content[:begin]


def _flip(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    mask = draw(st.integers(1, 255))
    return content[:begin] + bytes(byte ^ mask for byte in content[begin:end]) + content[end:]


def _insert(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    return content[:begin] + draw(st.binary(min_size=1, max_size=8)) + content[begin:]


def _delete(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    return content[:begin] + content[end:]


def _repeat(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    return content[:end] + content[begin:]


def _number(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    while begin < len(content) and not content[begin : begin + 1].isdigit():
        begin += 1
    end = begin
    while content[end : end + 1].isdigit():
        end += 1
    return content[:begin] + draw(st.sampled_from(_NUMBERS)) + content[end:]


def _encode(draw: st.DrawFn, content: bytes, begin: int, end: int) -> bytes:
    text = content.decode("utf-8", "replace")
    return text.encode(draw(st.sampled_from(_ENCODINGS)), "replace")


_CHANGES = (_cut, _flip, _insert, _delete, _repeat, _number, _encode)


def read_or_refused(read: Callable[[], Any], named: str) -> Any:
    """What was read, or None for a `DataError` that names the file; all else is an error.

    What takes too long ends with `TimeoutError`, since Hypothesis' deadline is looked at only when
    a test has ended.
    """
    with warnings.catch_warnings(), _time_limit():
        warnings.simplefilter("ignore")
        try:
            return read()
        except DataError as error:
            assert named in str(error)
            return None


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    def end(*_: Any) -> None:
        raise TimeoutError(f"not read within {_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
