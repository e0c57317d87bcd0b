"""Tests of `tff_weights.float_types`, and of every builder with models that are not float32."""

import collections
import dataclasses
import functools
import itertools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import algorithms
from reference.cases import CASES, PLAIN, Case
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds
from reference.problem import client_data, functional_model, initial_vector, make_clients, to_vector

import tff_weights
from tff_weights.aggregators.share_mean import ShareMeanFactory
from tff_weights.client_work.reports import REPORT_FIELDS
from tff_weights.float_types import AnyFloatOptimizer

# How far two rounds may end from NumPy's: float64 as far as rates of float32 are from its own.
_TOLERANCE = {tf.float64: 1e-6, tf.float16: 4e-3, tf.bfloat16: 1.5e-2}
_COHORTS = ([0, 1, 2], [2, 1])
_FIXED_STEPS = dataclasses.replace(
    PLAIN, epochs=None, steps=2, fresh_batches=True, learning_rate_decay=1.0
)
_ALL = {"num_clients": len(CLIENTS)}
_NAMES = ("fed_avg", "fed_nova with momentum", "q_fed_avg", "fed_fa", "fed_adp")
_CASES = {
    **{name: CASES[name] for name in _NAMES},
    "fed_veca": Case(
        tff_weights.build_fed_veca, {**_ALL, "local_training": _FIXED_STEPS}, algorithms.fed_veca
    ),
    "scaffold compiled": Case(
        tff_weights.build_scaffold,
        {
            "local_training": dataclasses.replace(PLAIN, compile_with_xla=True),
            "variates_dir": None,
            **_ALL,
        },
        functools.partial(algorithms.scaffold, **_ALL),
    ),
}


def _choice():
    """Each case with one type by default, with all of them in the long run."""
    for (place, case), (turn, dtype) in itertools.product(enumerate(_CASES), enumerate(_TOLERANCE)):
        marks = () if (place + turn) % 3 == 0 else (pytest.mark.long,)
        yield pytest.param(case, dtype, marks=marks, id=f"{case}, {dtype.name}")


@pytest.mark.parametrize(("case", "dtype"), list(_choice()))
def test_two_rounds_of_every_builder_are_numpys(case, dtype, tmp_path):
    arguments = {"local_training": LOCAL_TRAINING, **_CASES[case].arguments}
    if "variates_dir" in arguments:
        arguments["variates_dir"] = tmp_path
    process = _CASES[case].build(functional_model(dtype=dtype), **arguments)
    trajectory, metrics, state = run_rounds(process, _COHORTS)
    np.testing.assert_allclose(trajectory, _CASES[case].simulate(_COHORTS), atol=_TOLERANCE[dtype])
    assert np.abs(trajectory[-1] - initial_vector()).max() > 5 * _TOLERANCE[dtype]
    for weight in process.get_model_weights(state).trainable:
        assert np.asarray(weight).dtype == dtype.as_numpy_dtype
    for name, column in metrics[-1]["aggregator"]["cohort"]["reports"].items():
        if name in REPORT_FIELDS and name != "client_index":
            assert column.dtype == (np.float64 if dtype == tf.float64 else np.float32)
    if "variates_dir" in arguments:
        for variate in state.client_work.server.own.server_variate:
            assert np.asarray(variate).dtype == dtype.as_numpy_dtype


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize(
    "factory", [ShareMeanFactory(), tff_weights.WeightingFactory(tff_weights.uniform_weighting())]
)
def test_the_mean_of_many_ones_is_one(factory, dtype):
    """Added up in bfloat16, 1/600 at a time, it would end at 1/2."""
    one = np.ones([2], dtype.as_numpy_dtype)
    process = factory.create(tff.TensorType(one.dtype.type, [2]), tff.TensorType(np.float32))
    mean = process.next(process.initialize(), [one] * 600, [1.0] * 600).result
    assert mean.dtype == one.dtype
    np.testing.assert_array_equal(mean, one)


@pytest.mark.parametrize(
    ("case", "field"),
    [
        pytest.param("scaffold compiled", "server_variate", marks=pytest.mark.long),
        ("fed_veca", "gradient"),
    ],
)
def test_many_equal_clients_add_what_one_adds(case, field, tmp_path):
    """To SCAFFOLD's variate an N-th part each, and to FedVeca's gradient by their shares."""
    found = []
    for count in (1, 600):
        arguments = {**_CASES[case].arguments, "num_clients": count}
        if "variates_dir" in arguments:
            arguments["variates_dir"] = tmp_path / str(count)
        process = _CASES[case].build(functional_model(dtype=tf.bfloat16), **arguments)
        cohort = [client_data(0, CLIENTS[1])] * count
        own = process.next(process.initialize(), cohort).state.client_work.server.own
        found.append(to_vector(getattr(own, field)))
    np.testing.assert_allclose(found[1], found[0], rtol=2e-2)


def test_a_keras_model_is_trained_evaluated_and_kept(tmp_path):
    """By FedFa, which measures accuracies; inputs and outputs are of the model's type, too."""
    dtype, vector = tf.bfloat16, initial_vector()

    def build():
        layer = tf.keras.layers.Dense(
            3,
            dtype=dtype,
            kernel_initializer=tf.keras.initializers.Constant(vector[:12].reshape(4, 3)),
            bias_initializer=tf.keras.initializers.Constant(vector[12:]),
        )
        return tff.learning.models.from_keras_model(
            tf.keras.Sequential([tf.keras.Input([4], dtype=dtype), layer]),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            input_spec=collections.OrderedDict(
                x=tf.TensorSpec([None, 4], dtype), y=tf.TensorSpec([None], tf.int32)
            ),
        )

    def in_type(examples):
        return collections.OrderedDict(x=tf.cast(examples.x, dtype), y=examples.y)

    clients = make_clients([20, 30])
    cohort = [
        tff_weights.client_data(i, tf.data.Dataset.from_tensor_slices(in_type(examples)))
        for i, examples in enumerate(clients)
    ]
    process = tff_weights.build_fed_fa(
        build, local_training=dataclasses.replace(LOCAL_TRAINING, shuffle=False), num_clients=2
    )
    output = process.next(process.initialize(), cohort)
    weights = process.get_model_weights(output.state)
    assert {np.asarray(weight).dtype for weight in weights.trainable} == {
        np.dtype(dtype.as_numpy_dtype)
    }
    tff_weights.trained_models.save_weights(weights, tmp_path / "weights.npz")
    kept = tff_weights.trained_models.load_weights(tmp_path / "weights.npz", build)
    evaluate = tff_weights.build_per_client_evaluation(
        build, in_type(clients[0]), [20], metrics=[tf.keras.metrics.SparseCategoricalAccuracy]
    )
    found = evaluate(kept)
    assert found.accuracies[0] == found.metrics["sparse_categorical_accuracy"][0]
    reports = output.metrics["aggregator"]["cohort"]["reports"]
    assert np.all(reports["accuracy_after"] > 0.3)
    # The same from where it came: the local model is the average of both, or near it.
    assert abs(found.accuracies[0] - reports["accuracy_after"][0]) < 0.3


@pytest.mark.parametrize("dtype", [tf.float32, *_TOLERANCE], ids=lambda dtype: dtype.name)
def test_momentum_by_hand(dtype):
    """Rate and momentum ½, gradient 1: m = 1, 3/2, so w = 1 − 1/2 = 1/2, then 1/2 − 3/4 = −1/4."""
    optimizer = AnyFloatOptimizer(tff.learning.optimizers.build_sgdm(0.5, momentum=0.5))
    weights, gradients = [tf.ones([2], dtype)], [tf.ones([2], dtype)]
    state = optimizer.initialize([tf.TensorSpec([2], dtype)])
    for expected in (0.5, -0.25):
        state, weights = optimizer.next(state, weights, gradients)
        assert weights[0].dtype == dtype
        np.testing.assert_array_equal(tf.cast(weights[0], tf.float32), [expected] * 2)
    of_other_rate = optimizer.set_hparams(
        state, collections.OrderedDict(optimizer.get_hparams(state), learning_rate=0.0)
    )
    assert optimizer.next(of_other_rate, weights, gradients)[1][0][0] == -0.25


@pytest.mark.parametrize("dtype", _TOLERANCE, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("name", ["adam", "adagrad"])
def test_tffs_optimizers_take_the_steps_of_float32(name, dtype):
    """A gradient of 2⁻¹³, whose square float16 has not, and an ε that is 0 in it."""
    build = getattr(tff.learning.optimizers, f"build_{name}")
    ends = []
    for of in (tf.float32, dtype):
        optimizer = tff.learning.optimizers.schedule_learning_rate(
            build(0.25), lambda count: 0.25 / tf.cast(count + 1, tf.float32)
        )
        optimizer = AnyFloatOptimizer(optimizer)
        weights = [tf.ones([2], of)]
        state = optimizer.initialize([tf.TensorSpec([2], of)])
        for _ in range(3):
            state, weights = optimizer.next(state, weights, [tf.fill([2], tf.cast(2**-13, of))])
        ends.append(tf.cast(weights[0], tf.float64))
    np.testing.assert_allclose(ends[1], ends[0], atol=2e-2)


def test_an_optimizer_of_float32_alone_is_refused():
    optimizer = AnyFloatOptimizer(tff.learning.optimizers.build_yogi(0.1))
    weights = [tf.ones([2], tf.float64)]
    state = optimizer.initialize([tf.TensorSpec([2], tf.float64)])
    with pytest.raises(TypeError, match="float64"):
        optimizer.next(state, weights, weights)
