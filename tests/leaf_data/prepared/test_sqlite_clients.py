"""Tests of `leaf_data.prepared.sqlite_clients`."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.client_data import ArrayClientData, client_examples
from leaf_data.prepared.sqlite_clients import read_clients, write_clients

_INT64 = np.iinfo(np.int64)
_VALUES = {
    "images": np.arange(5 * 4, dtype=np.uint8).reshape(5, 2, 2) * 13,
    "floats": np.array([0.1, -0.0, 1e-45, 3.4028235e38, 1 / 3], np.float32),
    "halves": np.array([[0.1], [1], [2], [3], [6e-8]], np.float16),
    "small integers": np.array([-(2**31), 2**31 - 1, 0, 1, 2], np.int32),
    "large integers": np.array([_INT64.min, _INT64.max, 0, 1, 2]),
    "text": np.array([b"a\0", b"", "é".encode(), b"\xff", b"b"], object),
    "texts": np.array([[b"a", b"b\0"], [b"", b""], [b"c", b""], [b"d", b"e"], [b"", b"f"]], object),
}


def _client_data(values: np.ndarray) -> ArrayClientData:
    """Clients with 2, 0 and 3 examples, whose ids are not in alphabetical order."""
    return ArrayClientData.from_arrays(
        ["ö", "empty", "b'"], {"x": values, "y": np.arange(5, dtype=np.int32)}, [0, 2, 2, 5]
    )


@pytest.mark.parametrize("values", _VALUES.values(), ids=list(_VALUES))
def test_all_comes_back_bit_for_bit_and_in_order_and_rows_are_those_of_tff(tmp_path, values):
    """TFF's own writer refuses lists of texts alone.

    Its reader puts ids into its SQL as they are: a quote is too much for it.
    """
    written = _client_data(values)
    write_clients(written, tmp_path / "ours.sqlite")
    read = read_clients(tmp_path / "ours.sqlite", written.element_type_structure)
    assert read.client_ids == ["ö", "empty", "b'"]
    assert read.num_examples.tolist() == [2, 0, 3]
    assert read.element_type_structure == written.element_type_structure
    for field, expected in written.arrays.items():
        found = read.arrays[field]
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        if expected.dtype == object:
            assert found.tolist() == expected.tolist()
        else:
            assert found.tobytes() == expected.tobytes()

    if values.dtype == object and values.ndim > 1:
        return
    tff.simulation.datasets.save_to_sql_client_data(
        written.client_ids, written.create_tf_dataset_for_client, str(tmp_path / "tff.sqlite")
    )
    ours, theirs = (_rows(tmp_path / f"{writer}.sqlite") for writer in ("ours", "tff"))
    assert ours == theirs
    assert len(ours["examples"]) == 5
    read = tff.simulation.datasets.load_and_parse_sql_client_data(
        str(tmp_path / "ours.sqlite"), written.element_type_structure
    )
    assert read.client_ids == ["b'", "empty", "ö"]
    for client_id in ("ö", "empty"):
        found, expected = client_examples(read, client_id), written.examples(client_id)
        for field in ("x", "y"):
            np.testing.assert_array_equal(found[field], expected[field])
            assert found[field].dtype == expected[field].dtype


def _rows(path) -> dict[str, list]:
    database = sqlite3.connect(path)
    examples = database.execute("SELECT * FROM examples ORDER BY rowid").fetchall()
    return {
        "examples": [
            (split, client_id, tf.train.Example.FromString(row))
            for split, client_id, row in examples
        ],
        "metadata": database.execute("SELECT * FROM client_metadata ORDER BY rowid").fetchall(),
    }


@pytest.mark.parametrize("dtype", [np.float64, np.uint64, np.bool_, np.complex64])
def test_what_would_not_come_back_exactly_is_refused(tmp_path, dtype):
    with pytest.raises(ValueError, match=f"field 'x' has the dtype {np.dtype(dtype).name}; TFF"):
        write_clients(_client_data(np.zeros(5, dtype)), tmp_path / "clients.sqlite")
    assert not (tmp_path / "clients.sqlite").exists()
