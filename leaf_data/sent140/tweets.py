"""Tweets with their accounts and sentiments, in the columns of Sentiment140's CSV files."""

from __future__ import annotations

import csv
import dataclasses
import pathlib
import zlib
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from leaf_data.errors import DataError
from leaf_data.local_files import open_text

_FIELDS = ("polarity", "id", "date", "query", "user", "text")
_POLARITIES = ("0", "2", "4")
_POSITIVE = "4"


@dataclasses.dataclass(frozen=True)
class Tweets:
    """Tweets in the order of their source.

    Attributes:
        is_positive: [num_tweets] int32: 1 where the sentiment is positive, else 0.
        fields: [num_tweets, 5] text: id, date, query, account and text, as LEAF's JSON has them.
    """

    is_positive: npt.NDArray[np.int32]
    fields: list[tuple[str, str, str, str, str]]

    @property
    def accounts(self) -> list[str]:
        """The account of each tweet."""
        return [account for *_, account, _ in self.fields]

    @property
    def texts(self) -> list[str]:
        """The text of each tweet."""
        return [text for *_, text in self.fields]


def read_tweets(path: pathlib.Path, *, encoding: str) -> Tweets:
    """Reads a CSV file with Sentiment140's columns.

    Args:
        path: The file, gzipped if its name ends in `.gz`: polarity (0 negative, 2 neutral, 4
            positive), id, date, query, account, text, without a header. A neutral tweet counts as
            not positive, as LEAF's script has it; only the 498 tweets labelled by hand have any.
        encoding: "utf-8", or "latin-1" as Sentiment140's own files; see `open_text`.

    Returns:
        The tweets.

    Raises:
        DataError: If the file cannot be read, is truncated or empty, or a row has other columns, an
            unknown polarity or no account. The file and the line are named.
    """
    try:
        with open_text(path, encoding=encoding, newline="") as lines:
            return tweets_of(_parse(lines, path))
    except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
        raise DataError(f"{path}: is no whole file of {encoding} text ({error}).") from None


def tweets_of(rows: Iterable[tuple[str, tuple[str, str, str, str, str]]]) -> Tweets:
    """Collects rows of polarity, "4" where it is positive, and the five other fields."""
    polarities, fields = [], []
    for polarity, other_fields in rows:
        polarities.append(polarity == _POSITIVE)
        fields.append(other_fields)
    return Tweets(np.array(polarities, np.int32), fields)


def _parse(
    lines: Iterable[str], path: pathlib.Path
) -> Iterator[tuple[str, tuple[str, str, str, str, str]]]:
    reader = csv.reader(lines, strict=True)
    num_rows = 0
    try:
        for row in reader:
            if len(row) != len(_FIELDS):
                raise DataError(
                    f"{path}, line {reader.line_num}: has {len(row)} fields, not the"
                    f" {len(_FIELDS)} of Sentiment140 ({', '.join(_FIELDS)})."
                )
            polarity, identifier, date, query, account, text = row
            if polarity not in _POLARITIES:
                raise DataError(
                    f"{path}, line {reader.line_num}, field 'polarity': is {polarity!r}; it must"
                    f" be one of {', '.join(_POLARITIES)}."
                )
            if not account:
                raise DataError(f"{path}, line {reader.line_num}, field 'user': is empty.")
            num_rows += 1
            yield polarity, (identifier, date, query, account, text)
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            raise DataError(f"{path}: ends inside a quoted field; it is truncated.") from None
        raise DataError(f"{path}, line {reader.line_num}: is no CSV ({error}).") from None
    if not num_rows:
        raise DataError(f"{path}: has no tweets.")
