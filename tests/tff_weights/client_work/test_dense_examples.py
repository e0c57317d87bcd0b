"""Tests of `tff_weights.client_work.dense_examples`."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tff_weights.client_work import dense_examples

# Two epochs of six examples, seed 1, round 2, client 3.
_PINNED_ORDERS = [[5, 4, 0, 1, 3, 2], [2, 0, 5, 3, 1, 4]]


def _orders(num_examples=40, num_epochs=3, *, round_number=0, client=0, **given):
    return dense_examples.epoch_orders(
        num_examples=tf.constant(num_examples),
        num_epochs=tf.constant(num_epochs),
        num_visited=tf.constant(given.pop("num_visited", num_examples)),
        round_number=tf.constant(round_number),
        client_index=tf.constant(client, tf.int64),
        **{"shuffle": True, "seed": 0, **given},
    ).numpy()


@pytest.mark.parametrize(
    ("num_examples", "expected"),
    [
        *[(0, 64), (1, 64), (63, 64), (64, 64), (65, 256), (256, 256), (257, 1024), (1025, 4096)],
        *[(4096, 4096), (4097, 8192), (8193, 16384), (2**20 + 1, 2**21), (2**30, 2**30)],
    ],
)
def test_padded_sizes_are_powers_of_four_and_then_of_two(num_examples, expected):
    assert int(dense_examples.padded_size(tf.constant(num_examples))) == expected


@settings(deadline=None, max_examples=40)
@given(
    num_examples=st.integers(0, 200),
    num_epochs=st.integers(0, 5),
    seed=st.integers(0, 2**31 - 1),
    round_number=st.integers(0, 2**31 - 1),
    client=st.integers(-1, 2**62),
)
def test_every_epoch_is_a_permutation(num_examples, num_epochs, seed, round_number, client):
    arguments = {"seed": seed, "round_number": round_number, "client": client}
    orders = _orders(num_examples, num_epochs, **arguments)
    assert orders.dtype == np.int32
    assert orders.shape == (num_epochs, num_examples)
    np.testing.assert_array_equal(
        np.sort(orders, axis=1), np.tile(np.arange(num_examples), (num_epochs, 1))
    )
    np.testing.assert_array_equal(orders, _orders(num_examples, num_epochs, **arguments))


@settings(deadline=None, max_examples=20)
@given(num_examples=st.integers(0, 60), share=st.floats(0, 1), shuffle=st.booleans())
def test_who_visits_fewer_examples_sees_the_same_first_ones(num_examples, share, shuffle):
    num_visited = int(share * num_examples)
    np.testing.assert_array_equal(
        _orders(num_examples, num_visited=num_visited, shuffle=shuffle),
        _orders(num_examples, shuffle=shuffle)[:, :num_visited],
    )


def test_epochs_rounds_clients_and_seeds_have_different_orders():
    """No two of these 21 permutations of 40 are alike; two swap round and client."""
    keys = [(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0), (1, 1, 1), (0, 2, 3), (0, 3, 2)]
    orders = [_orders(seed=s, round_number=t, client=i) for s, t, i in keys]
    assert len(np.unique(np.concatenate(orders), axis=0)) == 21


def test_orders_are_these():
    """Results that are published say which seeds they were made with; these orders make them."""
    np.testing.assert_array_equal(_orders(6, 2, seed=1, round_number=2, client=3), _PINNED_ORDERS)
