"""Tests of `leaf_data.leaf_json.parser`."""

from __future__ import annotations

import copy
import json
import pathlib
import tracemalloc
from typing import Any

import leaf_files
import numpy as np
import pytest
from damage import fuzz, read_or_refused
from hypothesis import given
from hypothesis import strategies as st

from leaf_data.errors import DataError
from leaf_data.leaf_json.parser import parse_leaf_json

_DOCUMENT = {
    "users": ["ann", "bob"],
    "num_samples": [2, 1],
    "hierarchies": [None, {"of": [True, 1.5]}],
    "user_data": {
        "ann": {"x": [[0.5, 1.0], [-2.0, 3e-3]], "y": [1, 0.0], "raw": "said"},
        "bob": {"y": [2], "x": [[7, 8.0]]},
    },
}


_USERS = b'{"user_data": {"u": {"x": [1], "y": [1]%b}}}'
_ANN, _BOB, _LABELS = (
    f", client {client!r}, field {field!r}"
    for client, field in (("ann", "x"), ("bob", "x"), ("bob", "y"))
)


def _parse(folder: pathlib.Path, document: Any, **arguments: Any) -> dict[str, Any]:
    """Of bytes as they are, and of anything else as JSON."""
    if not isinstance(document, bytes):
        document = json.dumps(document).encode()
    (folder / "file.json").write_bytes(document)
    return dict(parse_leaf_json(folder / "file.json", **arguments))


def _with(keys: list[Any], value: Any) -> dict[str, Any]:
    """The document with the value at the keys replaced, or removed if the value is `...`."""
    document = copy.deepcopy(_DOCUMENT)
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return document


@pytest.mark.parametrize(("encoding", "order"), [("utf-8", 1), ("utf-8-sig", -1)])
def test_clients_come_in_order_with_their_examples(tmp_path, encoding, order):
    """With or without a byte order mark; FedProx's scripts write `num_samples` at the end."""
    clients = _parse(tmp_path, json.dumps(dict(list(_DOCUMENT.items())[::order])).encode(encoding))
    assert list(clients) == ["ann", "bob"]
    assert list(clients["bob"]) == ["x", "y"]
    x, y = clients["ann"].values()
    np.testing.assert_array_equal(x, np.array([[0.5, 1.0], [-2.0, 3e-3]], np.float32))
    np.testing.assert_array_equal(y, [1, 0])
    assert (x.dtype, y.dtype) == (np.float32, np.int32)


@pytest.mark.parametrize(
    ("x", "dtype", "shape"),
    [
        ([[1, 2]], np.int32, (1, 2)),
        ([[1, 2**40]], np.float32, (1, 2)),
        ([[[[1.0, 2.0, 3.0]]]], np.float32, (1, 1, 1, 3)),
        (["text"], object, (1,)),
        ([["some", "text", "é"]], object, (1, 3)),
    ],
)
def test_features_are_numbers_or_text_of_any_rank(tmp_path, x, dtype, shape):
    clients = _parse(tmp_path, _with(["user_data", "bob", "x"], x))
    assert clients["bob"]["x"].dtype == dtype
    assert clients["bob"]["x"].shape == shape
    if dtype is object:
        assert all(isinstance(text, bytes) for text in clients["bob"]["x"].flat)


def test_leafs_own_count_of_shakespeares_test_windows_is_accepted(tmp_path):
    """LEAF's split drops 79 windows of each client's test text, but counts them."""
    document = leaf_files.document({"u": (["to b"], ["e"]), "v": (["to b"] * 2, ["e", "\u00e9"])})
    document["num_samples"] = [80, 81]
    with pytest.warns(UserWarning, match="num_samples of 2 clients counts 79 samples too many"):
        clients = _parse(tmp_path, document)
    assert clients["v"]["y"].tolist() == [b"e", b"\xc3\xa9"]
    document["num_samples"] = [80, 82]
    with pytest.raises(DataError, match="client 'v', field 'num_samples': says 82.*has 2"):
        _parse(tmp_path, document)


@pytest.mark.parametrize(
    ("document", "place", "problem"),
    [
        (b"", "", "malformed or truncated JSON"),
        (b"[]", "", "must be one JSON object"),
        (b"{}", "", "must have the keys 'users', 'num_samples' and 'user_data'"),
        (b'{"users": [], "users": []}', ", field 'users'", "occurs twice"),
        (_USERS % b'}, "u": {"x": [1], "y": [1]', ", client 'u', field 'y'", "occurs twice"),
        (_with(["user_data", "bob", "y"], [[1]]), _LABELS, "of shape"),
        (b'{"user_data": {}, "user_data": {}}', ", field 'user_data'", "occurs twice"),
        (_USERS % b', "x": [1]', ", client 'u', field 'x'", "occurs twice"),
        (_USERS.partition(b"1")[0] + b"[" * 9999, ", client 'u', field 'x'", "nested more than"),
        (b"\xef\xbb\xbf" * 2 + json.dumps(_DOCUMENT).encode(), "", "must be UTF-8"),
        (_with(["users"], ["ann", 3]), ", field 'users'", "must be a list of strings"),
        (_with(["users"], ["ann", "ann"]), ", field 'users'", "'ann' more than once"),
        (_with(["users"], ["ann", "eve"]), ", field 'users'", "'eve', who has no entry"),
        (_with(["users"], ["ann"]), ", field 'users'", "lacks the client 'bob'"),
        (_with(["num_samples"], [2, 5]), ", client 'bob', field 'num_samples'", "says 5.*has 1"),
        (_with(["user_data", "bob", "x"], ...), ", client 'bob'", r"fields \['y'\]"),
        (_with(["user_data", "bob", "y"], [1, 2]), ", client 'bob'", "1 entries in 'x' but 2 in"),
        (_with(["user_data", "bob", "x"], [[1, None]]), _BOB, "0 holds null"),
        (_with(["user_data", "bob", "x"], [[1, "a"]]), _BOB, "mixes numbers"),
        (_with(["user_data", "bob", "x"], [[]]), _BOB, "without any"),
        (_with(["user_data", "bob", "x"], [[1e39]]), _BOB, "not a finite"),
        (_with(["user_data", "ann", "x"], [[1], [2, 3]]), _ANN, "at sample 1"),
        (_with(["user_data", "bob", "y"], ["2"]), _LABELS, "must be numbers"),
        (_with(["user_data", "bob", "y"], [2**31]), _LABELS, "2147483648;"),
        (_with(["user_data", "bob", "x"], [float("-inf")]), _BOB, "malf"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-",
)
def test_errors_name_file_client_and_field(tmp_path, document, place, problem):
    with pytest.raises(DataError, match=problem) as error:
        _parse(tmp_path, document)
    assert str(error.value).startswith(f"{tmp_path / 'file.json'}{place}: ")


def test_labels_must_be_below_the_number_of_classes(tmp_path):
    assert _parse(tmp_path, _DOCUMENT, num_classes=3)
    with pytest.raises(DataError, match=r"client 'bob', field 'y': .*label 2; .*0\.\.1"):
        _parse(tmp_path, _DOCUMENT, num_classes=2)


def test_missing_and_unreadable_files(tmp_path):
    for path in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(DataError, match=f"{path}: cannot be read"):
            list(parse_leaf_json(path))


_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text("aé1", max_size=3), st.just("ann")
)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=8,
)
_PLACES = [
    *(["users"], ["users", 0], ["num_samples"], ["num_samples", 1], ["user_data"]),
    *(["user_data", "ann"], ["user_data", "ann", "x"], ["user_data", "ann", "x", 0]),
    *(["user_data", "ann", "x", 1, 1], ["user_data", "ann", "y"], ["user_data", "ann", "y", 0]),
]


@fuzz
@given(place=st.sampled_from(_PLACES), value=_values)
def test_any_value_at_any_place_is_read_or_refused(tmp_path, place, value):
    """NaN and Infinity as Python writes them included."""
    clients = read_or_refused(lambda: _parse(tmp_path, _with(place, value)), "file.json")
    for examples in (clients or {}).values():
        assert len(examples["x"]) == len(examples["y"])
        if examples["x"].dtype != object:
            assert np.isfinite(examples["x"]).all()
            assert (examples["y"] >= 0).all()


def test_memory_stays_flat(tmp_path):
    """Sixty clients need no more memory than six: the parser holds one at a time."""

    def peak_bytes(num_clients: int) -> int:
        examples = (np.full((50, 100), 0.25).tolist(), [0] * 50)
        clients = {f"u{client}": examples for client in range(num_clients)}
        (tmp_path / "file.json").write_text(json.dumps(leaf_files.document(clients)))
        tracemalloc.start()
        for _ in parse_leaf_json(tmp_path / "file.json"):
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    assert peak_bytes(60) < 1.2 * peak_bytes(6)
