"""One file of LEAF's JSON, parsed as a stream and checked on the way."""

from __future__ import annotations

import collections
import dataclasses
import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data import extras, raw_files
from leaf_data.errors import DataError
from leaf_data.examples import Examples
from leaf_data.local_files import BYTE_ORDER_MARK

ijson = extras.require("ijson")

_Events = Iterator[tuple[str, Any]]

_MAX_DEPTH = 8
_INT32 = np.iinfo(np.int32)
# LEAF's split_data.py leaves out of Shakespeare's test sets the windows of 80 characters that
# overlap the training text, but counts them in num_samples.
_SHAKESPEARE_UNCOUNTED_WINDOWS = 79


@dataclasses.dataclass
class _Place:
    """The parser's place in the file, to be named in errors."""

    path: str
    client: str | None = None
    field: str | None = None

    def error(self, problem: str) -> DataError:
        client = "" if self.client is None else f", client {self.client!r}"
        field = "" if self.field is None else f", field {self.field!r}"
        return DataError(f"{self.path}{client}{field}: {problem}")


def parse_leaf_json(
    path: str | os.PathLike[str], *, num_classes: int | None = None
) -> Iterator[tuple[str, Examples]]:
    """Yields the clients of one file of LEAF's JSON, holding one client at a time.

    Fields of a client other than `x` and `y`, and other keys of the file (LEAF's `hierarchies`),
    are skipped.

    Args:
        path: The file.
        num_classes: If given, labels must be below it.

    Yields:
        `(client_id, OrderedDict(x=..., y=...))` for each client, in the order of `user_data`.
        `x`: [num_examples, ...], int32 if all numbers are integers of 32 bits, else float32. Text
        is an object array of UTF-8 encoded `bytes`. `y`: [num_examples] int32, not negative. If `x`
        is text, `y` may be text, too (LEAF's Shakespeare). A client without examples has shape [0]
        in both.

    Raises:
        DataError: At the first sign that the file is missing, truncated, not JSON in UTF-8 or not
            in LEAF's form. Also if features are ragged, mixed or not finite, or labels are not
            integers or out of range. Also after the last client, if `users` or `num_samples`
            disagree with the data.
    """
    place = _Place(os.fspath(path))
    if os.path.exists(path) and not os.path.isfile(path):  # A named pipe would block.
        raise place.error("cannot be read (it is no file).")
    try:
        with open(raw_files.note(path), "rb") as file:
            if file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
                file.seek(0)
            yield from _parse_file(ijson.basic_parse(file, use_float=True), place, num_classes)
    except (ijson.JSONError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise place.error(
            f"malformed or truncated JSON ({reason}); it must be UTF-8, and has no NaN or Infinity."
        ) from None
    except OSError as error:
        raise place.error(f"cannot be read ({error.strerror}).") from None


def _parse_file(
    events: _Events, place: _Place, num_classes: int | None
) -> Iterator[tuple[str, Examples]]:
    users: list[str] | None = None
    num_samples: list[float] | None = None
    counts: dict[str, int] | None = None
    text = False
    _expect(events, "start_map", place, "the file must be one JSON object.")
    for event, key in events:
        if event == "end_map":
            break
        place.client, place.field = None, key
        if key == "users":
            users = _read_scalars(events, "string", place, users)
        elif key == "num_samples":
            num_samples = _read_scalars(events, "number", place, num_samples)
        elif key == "user_data":
            if counts is not None:
                raise place.error("occurs twice.")
            counts = {}
            for client_id, examples in _parse_clients(events, place, num_classes):
                if client_id in counts:
                    raise place.error("the client occurs twice.")
                counts[client_id] = len(examples["y"])
                text = text or examples["x"].dtype == object
                yield client_id, examples
        else:
            _skip(events)
    place.client = place.field = None
    for _ in events:  # Lets the parser refuse whatever follows the object.
        pass
    if users is None or num_samples is None or counts is None:
        raise place.error("must have the keys 'users', 'num_samples' and 'user_data'.")
    _check_counts(users, num_samples, counts, text, place)


def _parse_clients(
    events: _Events, place: _Place, num_classes: int | None
) -> Iterator[tuple[str, Examples]]:
    _expect(events, "start_map", place, "must be an object with one entry per client.")
    for event, client_id in events:
        if event == "end_map":
            return
        place.client, place.field = client_id, None
        _expect(events, "start_map", place, "must be an object with the fields 'x' and 'y'.")
        arrays: dict[str, npt.NDArray[Any]] = {}
        for field_event, field in events:
            if field_event == "end_map":
                break
            place.field = field
            if field in arrays:
                raise place.error("occurs twice.")
            if field in ("x", "y"):
                arrays[field] = _read_array(events, place)
            else:
                _skip(events)
        place.field = None
        if len(arrays) < 2:
            raise place.error(f"has the fields {sorted(arrays)}; needs 'x' and 'y'.")
        x, y = arrays["x"], arrays["y"]
        if len(x) != len(y):
            raise place.error(f"has {len(x)} entries in 'x' but {len(y)} in 'y'.")
        place.field = "x"
        x = _as_features(x, place)
        place.field = "y"
        y = _as_labels(y, x.dtype == object, num_classes, place)
        yield client_id, collections.OrderedDict(x=x, y=y)


def _check_counts(
    users: list[str],
    num_samples: list[float],
    counts: dict[str, int],
    text: bool,
    place: _Place,
) -> None:
    place.field = "users"
    if len(set(users)) != len(users):
        twice = next(user for user, count in collections.Counter(users).items() if count > 1)
        raise place.error(f"names the client {twice!r} more than once.")
    for user in users:
        if user not in counts:
            raise place.error(f"names the client {user!r}, who has no entry in 'user_data'.")
    for client_id in counts:
        if len(counts) != len(users) and client_id not in users:
            raise place.error(f"lacks the client {client_id!r}, who has an entry in 'user_data'.")
    place.field = "num_samples"
    if len(num_samples) != len(users):
        raise place.error(f"has {len(num_samples)} entries for {len(users)} users.")
    uncounted = 0
    for user, declared in zip(users, num_samples):
        if text and declared - counts[user] == _SHAKESPEARE_UNCOUNTED_WINDOWS:
            uncounted += 1
        elif declared != counts[user]:
            place.client = user
            raise place.error(f"says {declared}, but 'user_data' has {counts[user]} samples.")
    if uncounted:
        warnings.warn(
            f"{place.path}: num_samples of {uncounted} clients counts"
            f" {_SHAKESPEARE_UNCOUNTED_WINDOWS} samples too many, as LEAF's split of Shakespeare"
            " does; the samples in the file are used.",
            stacklevel=2,
        )


def _read_array(events: _Events, place: _Place) -> npt.NDArray[Any]:
    """Reads nested lists as int64, float64 or object (`str`) [num_examples, ...]."""
    _expect(events, "start_array", place, "must be a list with one entry per sample.")
    values: list[Any] = []
    num_texts = 0
    # For each open list: the number of values before it, and of lists directly in it.
    open_lists = [[0, 0]]
    # For each depth: the numbers of lists and of values in every list there.
    contents: dict[int, tuple[int, int]] = {}
    while open_lists:
        event, value = next(events)
        if event == "number":
            values.append(value)
        elif event == "string":
            values.append(value)
            num_texts += 1
        elif event == "start_array":
            open_lists[-1][1] += 1
            open_lists.append([len(values), 0])
            if len(open_lists) > _MAX_DEPTH:
                raise place.error(f"is nested more than {_MAX_DEPTH} lists deep.")
        elif event == "end_array":
            num_values_before, num_lists = open_lists.pop()
            num_values = len(values) - num_values_before
            depth = len(open_lists)
            of_depth = contents.setdefault(depth, (num_lists, num_values))
            values_in_lists = num_lists * contents.get(depth + 1, (0, 0))[1]
            if of_depth != (num_lists, num_values) or (num_lists and num_values != values_in_lists):
                where = f" at sample {open_lists[0][1] - 1}" if open_lists else ""
                raise place.error(f"is ragged{where}: all samples must have the same shape.")
        else:
            sample = open_lists[0][1] - 1 if open_lists[0][1] else len(values)
            raise place.error(f"sample {sample} holds {_NAMES[event]}, not numbers or text.")
    if 0 < num_texts < len(values):
        raise place.error("mixes numbers and text.")
    shape = [num_lists or num_values for _, (num_lists, num_values) in sorted(contents.items())]
    if 0 in shape[1:]:
        raise place.error("has samples without any features.")
    array = np.array(values, object if num_texts else None)
    if array.dtype.kind not in "ifO" or (array.dtype.kind == "O" and not num_texts):
        raise place.error("holds an integer of more than 64 bits.")
    return array.reshape(shape)


_NAMES = {"null": "null", "boolean": "a truth value", "start_map": "an object"}


def _as_features(array: npt.NDArray[Any], place: _Place) -> npt.NDArray[Any]:
    """Text becomes UTF-8 `bytes`, numbers become int32 or finite float32."""
    if array.dtype == object:
        encoded = [text.encode("utf-8", "replace") for text in array.flat]
        return np.array(encoded, object).reshape(array.shape)
    if array.dtype.kind == "i" and not np.any((array < _INT32.min) | (array > _INT32.max)):
        return array.astype(np.int32)
    with np.errstate(over="ignore"):
        features = array.astype(np.float32)
    finite = np.isfinite(features)
    if not finite.all():
        sample = np.argwhere(~finite)[0][0]
        raise place.error(f"sample {sample} is not a finite number of 32 bits.")
    return features


def _as_labels(
    array: npt.NDArray[Any], text_features: bool, num_classes: int | None, place: _Place
) -> npt.NDArray[Any]:
    """Class indices become int32; text becomes UTF-8 `bytes`, if the features are text as well."""
    if array.ndim != 1:
        raise place.error(f"has labels of shape {array.shape[1:]}; a label must be one number.")
    if array.dtype == object:
        if not text_features:
            raise place.error(f"has the label {array[0]!r}; labels must be numbers.")
        return _as_features(array, place)
    maximum = _INT32.max if num_classes is None else num_classes - 1
    wrong = ~((array >= 0) & (array <= maximum) & (array == np.floor(array)))
    if wrong.any():
        raise place.error(
            f"has the label {array[wrong][0]}; labels must be integers in 0..{maximum}."
        )
    return array.astype(np.int32)


def _read_scalars(
    events: _Events, kind: str, place: _Place, already: list[Any] | None
) -> list[Any]:
    if already is not None:
        raise place.error("occurs twice.")
    _expect(events, "start_array", place, f"must be a list of {kind}s.")
    scalars = []
    for event, value in events:
        if event == "end_array":
            break
        if event != kind:
            raise place.error(f"must be a list of {kind}s.")
        scalars.append(value)
    return scalars


def _expect(events: _Events, expected: str, place: _Place, problem: str) -> None:
    event, _ = next(events)
    if event != expected:
        raise place.error(problem)


def _skip(events: _Events) -> None:
    depth = 0
    for event, _ in events:
        depth += event in ("start_map", "start_array")
        depth -= event in ("end_map", "end_array")
        if depth == 0:
            return
