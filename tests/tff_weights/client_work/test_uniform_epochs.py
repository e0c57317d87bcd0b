import collections
import functools

import pytest
import tensorflow as tf

from tff_weights import LocalTraining, UniformEpochs
from tff_weights.client_work.local_data import LocalData, plan_round


@functools.cache
def _num_steps(epochs, seed):
    training = LocalTraining(learning_rate=0.1, batch_size=10, epochs=epochs, shuffle_seed=seed)

    def num_steps(round_number, client_index, examples):
        data = LocalData(client_index, examples, tf.shape(examples)[0])
        return plan_round(training, data, round_number).num_steps

    return tf.function(num_steps, autograph=False)


def _drawn(epochs, *, seed=0, round_number=0, client_index=0, num_examples=25):
    """25 examples in batches of 10 are three steps an epoch."""
    index, examples = tf.constant(client_index, tf.int64), tf.zeros([num_examples, 1])
    steps = int(_num_steps(epochs, seed)(tf.constant(round_number), index, examples))
    assert steps % 3 == 0
    return steps // 3


def test_every_number_of_epochs_is_drawn_about_as_often():
    """Of 100 draws from 2..5 each is expected 25 times, with a deviation of √(18.75) = 4.3."""
    counts = collections.Counter(
        _drawn(UniformEpochs(2, 5), round_number=number, client_index=client)
        for number in range(10)
        for client in range(10)
    )
    assert set(counts) == {2, 3, 4, 5}
    assert max(abs(count - 25) for count in counts.values()) < 4 * 4.3


@pytest.mark.parametrize(("share", "fewest", "most"), [(0.0, 0, 0), (0.5, 10, 38), (1.0, 38, 50)])
def test_a_share_of_the_clients_draws(share, fewest, most):
    """The others take 20 epochs; of those that draw, one of twenty does by chance."""
    epochs = UniformEpochs(1, 20, share)
    drawn = [_drawn(epochs, client_index=client) for client in range(50)]
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
