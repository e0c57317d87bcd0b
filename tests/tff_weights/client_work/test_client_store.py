"""Tests of `tff_weights.client_work.client_store`."""

import collections

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights import client_store_files, prune_client_store
from tff_weights.client_work.client_store import ClientStore, as_structure, as_vector, vector_spec

_SIZE = 7


def _read(variates, client, last_round, size=_SIZE):
    spec = tf.TensorSpec([size])
    return variates.read(tf.constant(client, tf.int64), tf.constant(last_round), spec).numpy()


def _write(variates, client, round_number):
    place = tf.constant(client, tf.int64), tf.constant(round_number)
    variates.write_if(tf.constant(True), *place, tf.range(float(_SIZE)))


def _touch(directory, files):
    """Files whose content does not matter, `CLIENT/ROUND`."""
    for file in files:
        (directory / file).parent.mkdir(parents=True, exist_ok=True)
        (directory / file).touch()


def test_another_object_of_the_same_directory_reads_it(tmp_path, monkeypatch):
    """A relative directory is resolved when it is named."""
    monkeypatch.chdir(tmp_path)
    variates = ClientStore("variates")
    monkeypatch.chdir("/")
    _write(variates, 3, 2)
    other = ClientStore(tmp_path / "variates")
    assert _read(other, 3, 2).tolist() == [*range(_SIZE)]
    with pytest.raises(tf.errors.NotFoundError):  # What is missing is not 0.
        _read(other, 3, 3)


def test_a_file_of_another_model_is_an_error(tmp_path):
    """A directory belongs to one run; a wrong one must not be read as something else."""
    variates = ClientStore(tmp_path)
    _write(variates, 0, 0)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        _read(variates, 0, 0, _SIZE + 1)


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ((tf.float32,) * 3, tf.float32),
        ((tf.bfloat16,) * 3, tf.bfloat16),
        ((tf.float16, tf.bfloat16, tf.float32), tf.float32),
        ((tf.float16, tf.float64, tf.float32), tf.float64),
    ],
)
def test_structures_and_vectors(dtypes, expected, tmp_path):
    """Of any shapes, none and empty ones among them, in the order of `tf.nest`, and any types.

    One type is kept in the file, too; several have one that holds the numbers of all.
    """
    structure = collections.OrderedDict(
        a=tf.reshape(tf.range(6.0), [2, 3]), b=(tf.constant(6.0), tf.zeros([0, 4]))
    )
    flat = [tf.cast(x, dtype) for x, dtype in zip(tf.nest.flatten(structure), dtypes)]
    structure = tf.nest.pack_sequence_as(structure, flat)
    spec, vector = vector_spec(structure), as_vector(structure)
    assert spec == tf.TensorSpec([7], expected)
    np.testing.assert_array_equal(tf.cast(vector, tf.float32), range(7))
    variates, client, number = ClientStore(tmp_path), tf.constant(0, tf.int64), tf.constant(0)
    variates.write_if(tf.constant(True), client, number, vector)
    again = as_structure(variates.read(client, number, spec), structure)
    for tensor, kept in zip(flat, tf.nest.flatten(again)):
        assert (kept.dtype, kept.shape) == (tensor.dtype, tensor.shape)
        np.testing.assert_array_equal(*(tf.cast(x, tf.float64) for x in (kept, tensor)))


@settings(deadline=None, max_examples=30)
@given(
    rounds=st.lists(st.sets(st.integers(0, 3)), min_size=1, max_size=12), oldest=st.integers(0, 12)
)
def test_pruning_keeps_exactly_what_a_resumed_run_needs(tmp_path_factory, rounds, oldest):
    """Any state from the oldest on may be resumed, and reads what each client wrote last before."""
    directory = tmp_path_factory.mktemp("variates")
    _touch(directory, [f"{c}/{t}" for t, cohort in enumerate(rounds) for c in cohort])
    needed = set()
    for done in range(oldest, len(rounds) + 1):
        for client in range(4):
            written = [t for t, cohort in enumerate(rounds[:done]) if client in cohort]
            needed.update(f"{client}/{t}" for t in written[-1:])
    prune_client_store(directory, oldest_round=oldest)
    if oldest <= len(rounds):
        assert {str(path.relative_to(directory)) for path in directory.glob("*/*")} == needed


def test_what_a_resumed_run_asks_for_is_the_newest_of_every_client(tmp_path):
    """After ten rounds: what was written in rounds 0 to 9, a later round's file is of no use.

    Other files are not looked at.
    """
    _touch(tmp_path, ["0/3", "0/9", "0/10", "1/2", "2/10", "13/9", "13/notes.txt"])
    (tmp_path / "notes.txt").touch()
    found = {
        str(path.relative_to(tmp_path)) for path in client_store_files(tmp_path, num_rounds=10)
    }
    assert found == {"0/9", "1/2", "13/9"}
    assert client_store_files(tmp_path / "none", num_rounds=10) == []
    prune_client_store(tmp_path / "none", oldest_round=3)
