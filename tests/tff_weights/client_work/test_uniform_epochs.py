from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf

from tff_weights import LocalTraining, UniformEpochs
from tff_weights.client_work.local_data import LocalData, plan_round


def _steps(epochs, *, seed=0, round_number=0, client_index=0, num_examples=25, xla=False):
    training = LocalTraining(
        learning_rate=0.1, batch_size=10, epochs=epochs, shuffle_seed=seed, compile_with_xla=xla
    )
    data = LocalData(
        tf.constant(client_index, tf.int64),
        tf.zeros([64 if xla else num_examples, 1]),
        tf.constant(num_examples),
    )
    return plan_round(training, data, tf.constant(round_number))


def _drawn(epochs, **where):
    """25 examples in batches of 10 are three steps an epoch."""
    steps = int(_steps(epochs, **where).num_steps)
    assert steps % 3 == 0
    return steps // 3


def test_every_number_of_epochs_is_drawn_about_as_often():
    """Of 200 draws from 2..5 each is expected 50 times, with a deviation of √(37.5) = 6.1."""
    counts = collections.Counter(
        _drawn(UniformEpochs(2, 5), round_number=number, client_index=client)
        for number in range(10)
        for client in range(20)
    )
    assert set(counts) == {2, 3, 4, 5}
    assert max(abs(count - 50) for count in counts.values()) < 4 * 6.1


@pytest.mark.parametrize(("share", "fewest", "most"), [(0.0, 0, 0), (0.5, 25, 70), (1.0, 80, 100)])
def test_a_share_of_the_clients_draws(share, fewest, most):
    """The others take 20 epochs; of those that draw, one of twenty does by chance."""
    epochs = UniformEpochs(1, 20, share)
    drawn = [_drawn(epochs, client_index=client) for client in range(100)]
    assert fewest <= sum(number < 20 for number in drawn) <= most


def test_draws_depend_on_seed_round_and_client_alone():
    epochs = UniformEpochs(1, 1000)
    keys = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
    drawn = [
        _drawn(epochs, seed=seed, round_number=number, client_index=client)
        for seed, number, client in keys
    ]
    again = [
        _drawn(epochs, seed=seed, round_number=number, client_index=client, num_examples=21)
        for seed, number, client in reversed(keys)
    ]
    assert drawn == again[::-1]
    assert len(set(drawn)) == len(keys)


@pytest.mark.parametrize("num_examples", [0, 1, 25])
def test_the_plan_holds_as_many_batches_as_are_taken(num_examples):
    """Under XLA, where sizes are padded, the number of batches is the one for the most epochs."""
    epochs = UniformEpochs(1, 4)
    per_epoch = -(-num_examples // 10)
    plain = _steps(epochs, num_examples=num_examples)
    padded = _steps(epochs, num_examples=num_examples, xla=True)
    steps = int(plain.num_steps)
    assert steps == int(padded.num_steps) and steps in per_epoch * np.arange(1, 5)
    np.testing.assert_array_equal(padded.batches[:steps, 0], plain.batches[:steps, 0])
    assert padded.batches.shape[0] >= max(steps, 1)


def test_the_most_is_no_less_than_the_least():
    with pytest.raises(ValueError, match="epochs.most .*3"):
        UniformEpochs(3, 2)
