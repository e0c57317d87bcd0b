"""Tests of `tff_weights.client_work.random_numbers`: of layers that draw, in every algorithm.

A random layer is put below one linear unit `w` whose output is the loss, so the gradient in `w` is
what the layer gave. The learning rate is 1, and each step takes one example of ones. In a round the
weights therefore move by minus the sum of what the layer gave in the steps: a dropout layer's mask.
"""

import collections
import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from tensorflow.python.framework import config as framework_config

import tff_weights
from tff_weights import runtime
from tff_weights.client_work.any_model import local_model

_SHAPE = (8, 8)
_SIZE = 64
_SPEC = collections.OrderedDict(x=tf.TensorSpec([None, *_SHAPE]), y=tf.TensorSpec([None], tf.int32))


class _OutputAsLoss(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        return y_pred[:, 0]


class _OwnNoise(tf.keras.layers.Layer):
    """A layer of one's own, which draws in evaluation, too, and once in every turn of a loop."""

    def call(self, x):
        sign = tf.cast(tf.random.uniform([], 0, 2, tf.int32), tf.float32)
        return sign * tf.map_fn(lambda row: row + tf.random.normal([8]), x[0])[tf.newaxis]


class _OwnGenerator(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.generator = tf.random.Generator.from_seed(1)

    def call(self, x):
        return x + self.generator.truncated_normal(tf.shape(x))


class _Traced(tf.keras.layers.Layer):
    """A layer with a `tf.function` in it, which is traced once."""

    @tf.function
    def _noise(self, shape):
        return tf.random.experimental.stateless_shuffle(tf.range(8.0), [1, 2]) + tf.random.gamma(
            shape, 2.0
        )

    def call(self, x):
        return x * self._noise([8])


_keras = tf.keras.layers
_MASKS = {"dropout": 0.5, "recurrent_dropout": 0.5}
_RANDOM_LAYERS = {
    "Dropout": lambda x: _keras.Dropout(0.5, seed=1)(x),
    "SimpleRNN": lambda x: _keras.SimpleRNN(
        8, "tanh", True, "identity", "identity", return_sequences=True, **_MASKS
    )(x),
    "a layer of one's own": lambda x: _OwnNoise()(x),
    "a generator": lambda x: _OwnGenerator()(x),
    "a tf.function": lambda x: _Traced()(x),
}


def _model(layer, *, seed=5):
    """The model of this module's docstring, seeded as programs seed theirs."""

    def build():
        if seed is not None:
            tf.keras.utils.set_random_seed(seed)
        x = tf.keras.Input(_SHAPE)
        features = _keras.Flatten()(layer(x))
        unit = _keras.Dense(1, use_bias=False, kernel_initializer="zeros")
        return tff.learning.models.from_keras_model(
            tf.keras.Model(x, unit(features)), loss=_OutputAsLoss(), input_spec=_SPEC
        )

    return build


@tf.function
def _dropout_and_unit(weights, x, training=True):
    ((unit,), _) = weights
    features = tf.reshape(x, [-1, _SIZE])
    if training:
        features = tf.nn.dropout(features, 0.5)
    return tf.matmul(features, unit)


def _mean(output, label, sample_weight=None):
    weight = tf.ones_like(output[:, 0]) if sample_weight is None else sample_weight
    return tf.reduce_sum(output[:, 0] * weight) / tf.reduce_sum(weight)


_FUNCTIONAL = tff.learning.models.FunctionalModel(
    initial_weights=((np.zeros([_SIZE, 1], np.float32),), ()),
    predict_on_batch_fn=_dropout_and_unit,
    loss_fn=_mean,
    input_spec=_SPEC,
)


def _examples(number):
    return collections.OrderedDict(
        x=np.ones([number, *_SHAPE], np.float32), y=np.zeros([number], np.int32)
    )


def _client(index, steps=2):
    return tff_weights.client_data(index, tf.data.Dataset.from_tensor_slices(_examples(steps)))


def _training(**options):
    return tff_weights.LocalTraining(learning_rate=1.0, batch_size=1, **{"epochs": 1, **options})


def _unit(process, state):
    return np.ravel(process.get_model_weights(state).trainable[-1])


def _built(model, **options):
    return tff_weights.build_fed_avg(model, local_training=_training(**options))


_with_layer = functools.cache(lambda name: _built(_model(_RANDOM_LAYERS[name])))


def _first_rounds(process, steps=2):
    """What the layer gave, [3, 64]: to client 0 in round 0, to client 1 in round 0, and to client 0
    in round 1."""
    state = process.initialize()
    first, other = (process.next(state, [_client(index, steps)]).state for index in (0, 1))
    again = process.next(first, [_client(0, steps)]).state
    moves = ((state, first), (state, other), (first, again))
    return np.stack([_unit(process, before) - _unit(process, after) for before, after in moves])


# Of a layer that Keras seeds, and of one that it does not.
_BY_DEFAULT = ("Dropout", "a layer of one's own")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in _BY_DEFAULT else pytest.mark.long) for n in _RANDOM_LAYERS],
)
def test_each_client_step_and_round_has_numbers_of_its_own_which_come_again(name):
    """From a model that is seeded otherwise, too."""
    first, other_client, other_round = given = _first_rounds(_with_layer(name))
    again = _built(_model(_RANDOM_LAYERS[name], seed=None))
    np.testing.assert_array_equal(_first_rounds(again), given)
    for other in (other_client, other_round, 2 * _first_rounds(_with_layer(name), steps=1)[0]):
        assert np.max(np.abs(other - first)) > 1e-3


def test_the_seed_of_the_local_training_counts():
    other = _built(_model(_RANDOM_LAYERS["Dropout"]), shuffle_seed=1)
    assert np.any(_first_rounds(other)[0] != _first_rounds(_with_layer("Dropout"))[0])


def test_an_algorithm_that_keeps_vectors_of_clients_gives_the_same_again(tmp_path):
    """Resumed after a round, on two threads, and with the cohort in another order.

    On that the sum over the cohort depends, by rounding alone.
    """
    cohort = [_client(client) for client in range(3)]
    process, again = (
        tff_weights.build_scaffold(
            _FUNCTIONAL, local_training=_training(), num_clients=3, variates_dir=tmp_path
        )
        for _ in range(2)
    )
    with runtime.using(runtime.ProgramOptions(client_threads=1)):
        first = process.next(process.initialize(), cohort).state
        last = process.next(first, cohort).state
    assert np.any(_unit(process, first) != _unit(process, last))
    with runtime.using(runtime.ProgramOptions(client_threads=2)):
        resumed = again.next(first, cohort).state
        ordered = again.next(again.initialize(), [cohort[place] for place in (2, 0, 1)]).state
    np.testing.assert_array_equal(_unit(again, resumed), _unit(process, last))
    np.testing.assert_allclose(_unit(again, ordered), _unit(process, first), atol=1e-5)


def test_an_evaluation_gives_the_same_again():
    model = _model(_RANDOM_LAYERS["a layer of one's own"])
    weights = tff.learning.models.ModelWeights([np.ones([_SIZE, 1], np.float32)], [])
    losses = []
    for _ in range(2):
        evaluate = tff_weights.build_per_client_evaluation(
            model, _examples(1), [1], correct_fn=lambda predictions, labels: tf.ones_like(labels)
        )
        losses += [evaluate(weights).loss, evaluate(weights).loss]
    assert len(set(losses)) == 1 and abs(losses[0]) > 1e-3


@pytest.mark.parametrize("compile_with_xla", [pytest.param(False, marks=pytest.mark.long), True])
def test_functional_models(compile_with_xla):
    """What a `tf.function` of the model's draws, compiled or not, is the same."""
    masks, again = (
        _first_rounds(_built(_FUNCTIONAL, compile_with_xla=compile_with_xla), steps=1)
        for _ in range(2)
    )
    np.testing.assert_allclose(np.unique(masks[0]), [0.0, 2.0])
    np.testing.assert_array_equal(masks, again)
    assert np.any(masks[0] != masks[2])


@pytest.fixture
def deterministic_operations():
    tf.config.experimental.enable_op_determinism()
    yield
    framework_config.disable_op_determinism()


@pytest.mark.usefixtures("deterministic_operations")
def test_determinism_is_allowed():
    """By FedVeca, which draws a fresh batch at each step."""
    process = tff_weights.build_fed_veca(
        _model(_RANDOM_LAYERS["Dropout"], seed=None),
        local_training=_training(epochs=None, steps=2, fresh_batches=True),
        num_clients=3,
    )
    assert np.any(_first_rounds(process)[2])


class _Numpy(tf.keras.layers.Layer):
    def call(self, x, training=None):
        return x + np.random.normal() if training else x


class _Sampler(tf.keras.layers.Layer):
    def call(self, x):
        drawn = tf.random.log_uniform_candidate_sampler([[1]], 1, 4, True, 8)
        return x + tf.cast(drawn.sampled_candidates[0], tf.float32)


@pytest.mark.parametrize(
    ("layer", "named"), [(_Numpy, "NumPy"), (_Sampler, "LogUniformCandidateSampler")]
)
def test_what_cannot_come_again_is_refused(layer, named):
    with pytest.raises(ValueError, match=named):
        _built(_model(lambda x: layer()(x)))


class _Offset(tf.keras.layers.Layer):
    def build(self, shape):
        self.offset = tf.Variable(tf.random.normal(shape[1:]))

    def call(self, x):
        return x + self.offset


def test_seeded_initial_weights_that_tensorflow_draws_come_again():
    """TFF refuses their operations, seeded by `tf.random.set_seed`; unseeded they differ."""

    def initial(seed):
        model = _model(lambda x: _Offset()(x), seed=seed)
        return np.ravel(local_model(model).initial_weights_computation().trainable[0])

    first = initial(1)
    np.testing.assert_array_equal(initial(1), first)
    assert np.any(initial(2) != first)
    assert np.any(initial(None) != initial(None))
