"""Tests of `tff_weights.client_work.client_work`: types, reports, steps, padding, shuffling."""

from __future__ import annotations

import collections
import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import softmax_regression
from reference.problem import (
    NUM_WEIGHTS,
    Examples,
    client_data,
    functional_model,
    initial_vector,
    make_clients,
    model_weights,
    to_vector,
    unweighted_cross_entropy,
    weighted_cross_entropy,
)
from reference.simulation import Participant

from tff_weights import LocalTraining, build_client_work

_SIZES = (1, 63, 64, 65, 1000)
_ALL_REPORTED = (
    "client_index",
    "num_examples",
    "num_steps",
    "learning_rate",
    "loss_before",
    "loss_after",
    "accuracy_before",
    "accuracy_after",
)


@pytest.fixture(scope="module")
def clients():
    return make_clients(_SIZES)


def _local_training(**arguments):
    if "steps" not in arguments:
        arguments.setdefault("epochs", 2)
    return LocalTraining(**{"learning_rate": 0.05, "batch_size": 10, **arguments})


@functools.cache
def _process(local_training, report_fields=("num_examples",)):
    return build_client_work(functional_model(), local_training, report_fields=report_fields)


def _run(process, clients, *, state=None, indices=None):
    """One round with all of the clients: their updates, their reports and the state after it."""
    indices = range(len(clients)) if indices is None else indices
    output = process.next(
        process.initialize() if state is None else state,
        [model_weights()] * len(clients),
        [client_data(index, examples) for index, examples in zip(indices, clients)],
    )
    updates = [to_vector(result.update) for result in output.result]
    return updates, [result.update_weight for result in output.result], output.state


def _expected_update(local_training, index, examples, round_number=0):
    participant = Participant(index, examples, round_number, local_training)
    return initial_vector() - participant.train(initial_vector()).weights


def _check_updates(updates, clients, local_training, round_number=0):
    for index, (update, examples) in enumerate(zip(updates, clients)):
        np.testing.assert_allclose(
            update,
            _expected_update(local_training, index, examples, round_number),
            rtol=1e-4,
            atol=2e-6,
            err_msg=f"{len(examples.y)} examples",
        )


def test_types():
    process = _process(_local_training(), ("client_index", "accuracy_after"))
    state = tff.to_type(collections.OrderedDict(round_number=np.int32))
    trainable = (tff.TensorType(np.float32, [4, 3]), tff.TensorType(np.float32, [3]))
    assert isinstance(process, tff.learning.templates.ClientWorkProcess)
    tff.test.assert_types_identical(
        process.initialize.type_signature,
        tff.FunctionType(None, tff.FederatedType(state, tff.SERVER)),
    )
    tff.test.assert_types_identical(
        process.next.type_signature,
        tff.FunctionType(
            collections.OrderedDict(
                state=tff.FederatedType(state, tff.SERVER),
                weights=tff.FederatedType(
                    tff.learning.models.ModelWeights(trainable, ()), tff.CLIENTS
                ),
                clients=tff.FederatedType(
                    collections.OrderedDict(
                        client_index=tff.SequenceType(np.int64),
                        examples=tff.SequenceType(
                            collections.OrderedDict(
                                x=tff.TensorType(np.float32, [None, 4]),
                                y=tff.TensorType(np.int32, [None]),
                            )
                        ),
                    ),
                    tff.CLIENTS,
                ),
            ),
            tff.templates.MeasuredProcessOutput(
                state=tff.FederatedType(state, tff.SERVER),
                result=tff.FederatedType(
                    tff.learning.templates.ClientResult(
                        update=trainable,
                        update_weight=collections.OrderedDict(
                            client_index=np.int64, accuracy_after=np.float32
                        ),
                    ),
                    tff.CLIENTS,
                ),
                measurements=tff.FederatedType((), tff.SERVER),
            ),
        ),
    )


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_reports_against_numpy(clients, compile_with_xla):
    """Each over the client's whole training set, with steps ⌈n/10⌉ in each of two epochs."""
    local_training = _local_training(compile_with_xla=compile_with_xla)
    _, reports, _ = _run(
        _process(local_training, _ALL_REPORTED), clients, indices=[5, 4, 3, 2, 2**40]
    )
    w = initial_vector()
    for examples, index, report in zip(clients, [5, 4, 3, 2, 2**40], reports):
        participant = Participant(index, examples, 0, local_training)
        trained = participant.train(w)
        assert list(report) == list(_ALL_REPORTED)
        assert dict(report) == pytest.approx(
            {
                "client_index": index,
                "num_examples": len(examples.y),
                "num_steps": 2 * -(-len(examples.y) // 10),
                "learning_rate": 0.05,
                "loss_before": participant.loss(w),
                "loss_after": participant.loss(trained.weights),
                "accuracy_before": participant.accuracy(w),
                "accuracy_after": participant.accuracy(trained.weights),
            },
            rel=1e-4,
        )


def test_only_what_is_asked_for_is_reported(clients):
    for fields in (("num_steps",), ("loss_before", "client_index")):
        _, reports, _ = _run(_process(_local_training(), fields), clients[:1])
        assert [list(report) for report in reports] == [list(fields)]


@pytest.mark.parametrize(
    ("fields", "evaluates"),
    [
        (("client_index", "num_examples", "num_steps", "learning_rate"), False),
        (("accuracy_after",), True),
    ],
)
def test_only_what_is_asked_for_is_measured(fields, evaluates):
    """The model notes whether it was ever asked for a prediction outside of training."""
    asked = []

    @tf.function
    def predict_on_batch(weights, x, training=True):
        if not training:
            asked.append(True)
        return tf.matmul(x, weights[0][0]) + weights[0][1]

    plain = functional_model()
    model = tff.learning.models.FunctionalModel(
        initial_weights=plain.initial_weights,
        predict_on_batch_fn=predict_on_batch,
        loss_fn=weighted_cross_entropy,
        input_spec=plain.input_spec,
    )
    build_client_work(model, _local_training(), report_fields=fields)
    assert bool(asked) == evaluates


@pytest.mark.parametrize("compile_with_xla", [False, True])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_shuffled_training_against_numpy(clients, momentum, compile_with_xla):
    """Whatever the number of examples: padding is not seen in the result."""
    local_training = _local_training(
        momentum=momentum, shuffle_seed=3, compile_with_xla=compile_with_xla
    )
    process = _process(local_training)
    updates, _, state = _run(process, clients)
    _check_updates(updates, clients, local_training)
    updates, _, _ = _run(process, clients, state=state)
    _check_updates(updates, clients, local_training, round_number=1)


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_proximal_training_against_numpy(clients, compile_with_xla):
    local_training = _local_training(proximal_strength=0.7, compile_with_xla=compile_with_xla)
    updates, _, _ = _run(_process(local_training), clients[:4])
    _check_updates(updates, clients[:4], local_training)


@pytest.mark.parametrize("compile_with_xla", [False, True])
@pytest.mark.parametrize("steps", [1, 8, 23])
def test_steps_against_numpy(clients, steps, compile_with_xla):
    """More than an epoch, less than one, and neither a multiple of one."""
    local_training = _local_training(steps=steps, compile_with_xla=compile_with_xla)
    updates, reports, _ = _run(_process(local_training, ("num_steps",)), clients)
    _check_updates(updates, clients, local_training)
    assert [report["num_steps"] for report in reports] == [steps] * len(clients)


@pytest.mark.parametrize("compile_with_xla", [False, True])
@pytest.mark.parametrize("amount", [{"epochs": 0.375}, {"steps": 3}])
def test_one_step_more_in_the_last_rounds(clients, amount, compile_with_xla):
    """By hand: of 63 to 1,000 examples 0.375 epochs are 2, 2, 2 and 37 batches of 10. The first
    takes one more from round 0 on, the second from round 1 on; the others are not listed."""
    local_training = _local_training(
        extra_step_from=(0, 1), compile_with_xla=compile_with_xla, **amount
    )
    of_each_round = [2, 2, 2, 37] if "epochs" in amount else [3] * 4
    process, state = _process(local_training, ("num_steps",)), None
    for round_number, extra in enumerate(([1, 0, 0, 0], [1, 1, 0, 0])):
        updates, reports, state = _run(process, clients[1:], state=state)
        _check_updates(updates, clients[1:], local_training, round_number)
        assert [report["num_steps"] for report in reports] == list(np.add(of_each_round, extra))


@pytest.mark.parametrize("compile_with_xla", [False, True])
@pytest.mark.parametrize("arguments", [{"epochs": 2}, {"steps": 3}])
def test_a_client_without_examples_stays_where_it_is(clients, arguments, compile_with_xla):
    """It says that it knows nothing, and its neighbours train as ever."""
    local_training = _local_training(compile_with_xla=compile_with_xla, **arguments)
    with_empty = [make_clients([0])[0], *clients[:2]]
    updates, reports, _ = _run(
        _process(local_training, ("num_examples", "num_steps", "loss_before", "accuracy_after")),
        with_empty,
    )
    np.testing.assert_array_equal(updates[0], np.zeros(NUM_WEIGHTS))
    assert reports[0]["num_examples"] == reports[0]["num_steps"] == 0
    assert np.isnan(reports[0]["loss_before"])
    assert np.isnan(reports[0]["accuracy_after"])
    for index in (1, 2):
        np.testing.assert_allclose(
            updates[index],
            _expected_update(local_training, index, with_empty[index]),
            rtol=1e-4,
            atol=2e-6,
        )


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_no_steps_are_no_update(clients, compile_with_xla):
    local_training = _local_training(steps=0, compile_with_xla=compile_with_xla)
    updates, reports, _ = _run(_process(local_training, ("num_steps", "loss_after")), clients[:3])
    np.testing.assert_array_equal(updates, np.zeros((3, NUM_WEIGHTS)))
    for report, examples in zip(reports, clients):
        assert report["num_steps"] == 0
        assert report["loss_after"] == pytest.approx(
            softmax_regression.loss(initial_vector(), examples), rel=1e-5
        )


def test_one_step_by_hand():
    """Two features of 1 and 0 and the label 0 from zero weights, where every class has 1/3.

    The gradient of the logits is (1/3 − 1, 1/3, 1/3), the first feature's weights have the same,
    the others' 0, and the update w_t − w_i is η = 0.3 times that. An equal example adds nothing.
    """
    x = np.zeros((2, 4), np.float32)
    x[:, 0] = 1
    process = build_client_work(
        functional_model(np.zeros(NUM_WEIGHTS)),
        LocalTraining(learning_rate=0.3, batch_size=2, epochs=1),
        report_fields=("loss_before",),
    )
    output = process.next(
        process.initialize(),
        [model_weights(np.zeros(NUM_WEIGHTS))],
        [client_data(0, Examples(x, np.zeros(2, np.int32)))],
    )
    kernel, bias = output.result[0].update
    np.testing.assert_allclose(kernel[0], [-0.2, 0.1, 0.1], rtol=1e-5)
    np.testing.assert_array_equal(kernel[1:], np.zeros((3, 3)))
    np.testing.assert_allclose(bias, [-0.2, 0.1, 0.1], rtol=1e-5)
    assert output.result[0].update_weight["loss_before"] == pytest.approx(np.log(3))


def test_the_learning_rate_decays_from_round_to_round(clients):
    """0.05, 0.05 · 0.5, 0.05 · 0.25; and with one step the update does so as well."""
    local_training = LocalTraining(
        learning_rate=0.05, batch_size=64, epochs=1, learning_rate_decay=0.5
    )
    process = _process(local_training, ("learning_rate",))
    state, rates, updates = None, [], []
    for _ in range(3):
        (update,), (report,), state = _run(process, clients[2:3], state=state)
        rates.append(report["learning_rate"])
        updates.append(update)
    np.testing.assert_allclose(rates, [0.05, 0.025, 0.0125], rtol=1e-6)
    np.testing.assert_allclose(updates[1], updates[0] / 2, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(updates[2], updates[0] / 4, rtol=1e-4, atol=1e-7)
    assert state["round_number"] == 3


def test_whole_numbers_are_numbers(clients):
    """A learning rate of 1 and a decay of 1 are those of 1.0."""
    local_training = LocalTraining(
        learning_rate=1, batch_size=10, epochs=1, learning_rate_decay=1, proximal_strength=1
    )
    updates, _, _ = _run(_process(local_training), clients[:2])
    _check_updates(updates, clients[:2], local_training)


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_the_same_client_trains_alike_wherever_it_stands_in_the_cohort(clients, compile_with_xla):
    """Seed, round and client index decide, nothing else."""
    local_training = _local_training(shuffle_seed=3, compile_with_xla=compile_with_xla)
    process = _process(local_training)
    forwards, _, _ = _run(process, clients[1:4], indices=[7, 8, 9])
    backwards, _, _ = _run(process, clients[1:4][::-1], indices=[9, 8, 7])
    np.testing.assert_array_equal(forwards, backwards[::-1])


def test_round_client_and_seed_change_the_order(clients):
    """One client's examples, which without shuffling give one update whatever these are."""
    alike = clients[1:2] * 2
    process = _process(_local_training(shuffle_seed=3))
    (first, other_client), _, state = _run(process, alike, indices=[0, 1])
    (other_round, _), _, _ = _run(process, alike, state=state, indices=[0, 1])
    (other_seed, _), _, _ = _run(_process(_local_training(shuffle_seed=4)), alike)
    for other in (other_client, other_round, other_seed):
        assert np.abs(first - other).max() > 1e-5

    process = _process(_local_training(shuffle=False))
    unshuffled, _, state = _run(process, alike, indices=[0, 1])
    again, _, _ = _run(process, alike, state=state, indices=[5, 6])
    np.testing.assert_array_equal(unshuffled, again)
    np.testing.assert_array_equal(unshuffled[0], unshuffled[1])


def test_correctness_is_the_callers(clients):
    """Who says that all are right hears that all are right."""
    process = build_client_work(
        functional_model(),
        _local_training(),
        report_fields=("accuracy_before",),
        correct_fn=lambda predictions, labels: tf.ones_like(labels, tf.float32),
    )
    _, reports, _ = _run(process, clients)
    assert [report["accuracy_before"] for report in reports] == pytest.approx([1] * 5)


def test_many_predictions_per_example_count_as_their_mean():
    """As for language models, by hand: of three characters two are right, in the other none."""

    @tf.function
    def predict_on_batch(weights, x, training=True):
        return tf.one_hot(x, 3) * weights[0][0]

    def loss_fn(output, label, sample_weight=None):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=output)
        return weighted_mean(tf.reduce_mean(losses, axis=1), sample_weight)

    def weighted_mean(losses, sample_weight):
        weights = tf.ones_like(losses) if sample_weight is None else sample_weight
        return tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)

    spec = tf.TensorSpec([None, 3], tf.int32)
    model = tff.learning.models.FunctionalModel(
        initial_weights=((np.ones((), np.float32),), ()),
        predict_on_batch_fn=predict_on_batch,
        loss_fn=loss_fn,
        input_spec=(spec, spec),
    )
    data = client_data(
        0,
        Examples(
            np.array([[0, 1, 2], [0, 0, 0]], np.int32), np.array([[0, 1, 0], [1, 2, 1]], np.int32)
        ),
        pairs=True,
    )
    for compile_with_xla in (False, True):
        process = build_client_work(
            model,
            _local_training(compile_with_xla=compile_with_xla),
            report_fields=("accuracy_before",),
        )
        output = process.next(
            process.initialize(),
            [tff.learning.models.ModelWeights((np.ones((), np.float32),), ())],
            [data],
        )
        accuracy = output.result[0].update_weight["accuracy_before"]
        assert accuracy == pytest.approx((2 / 3 + 0) / 2)


def test_padding_is_never_seen_by_the_model():
    """A model that divides by the length of its features makes no number of a row of zeros."""

    @tf.function
    def predict_on_batch(weights, x, training=True):
        return tf.matmul(x / tf.norm(x, axis=1, keepdims=True), weights[0][0])

    rng = np.random.default_rng(0)
    kernel = rng.normal(size=(12, 3)).astype(np.float32)
    model = tff.learning.models.FunctionalModel(
        initial_weights=((kernel,), ()),
        predict_on_batch_fn=predict_on_batch,
        loss_fn=weighted_cross_entropy,
        input_spec=(tf.TensorSpec([None, 12]), tf.TensorSpec([None], tf.int32)),
    )
    examples = Examples(rng.normal(size=(65, 12)).astype(np.float32), np.ones(65, np.int32))
    reports = []
    for compile_with_xla in (False, True):
        process = build_client_work(
            model,
            _local_training(compile_with_xla=compile_with_xla),
            report_fields=("loss_before", "accuracy_before", "loss_after"),
        )
        output = process.next(
            process.initialize(),
            [tff.learning.models.ModelWeights((kernel,), ())],
            [client_data(0, examples, pairs=True)],
        )
        reports.append(dict(output.result[0].update_weight))
    assert reports[1] == pytest.approx(reports[0], rel=1e-5)


def test_unknown_report_fields_are_refused():
    with pytest.raises(ValueError, match="accuracy_after.*'gradient_norm'"):
        build_client_work(
            functional_model(), _local_training(), report_fields=("num_steps", "gradient_norm")
        )


@pytest.mark.parametrize("zeros", [False, True])
def test_xla_is_refused_for_a_loss_that_ignores_the_weights(zeros):
    model = functional_model(
        np.zeros(NUM_WEIGHTS) if zeros else None, loss_fn=unweighted_cross_entropy
    )
    with pytest.raises(ValueError, match="compile_with_xla=True.*sample_weight"):
        build_client_work(
            model, _local_training(compile_with_xla=True), report_fields=("num_examples",)
        )


def test_xla_is_refused_for_variables():
    with pytest.raises(ValueError, match="compile_with_xla=True.*FunctionalModel"):
        build_client_work(
            lambda: tff.learning.models.model_from_functional(functional_model()),
            _local_training(compile_with_xla=True),
            report_fields=("num_examples",),
        )


def test_other_things_than_models_are_refused():
    with pytest.raises(TypeError, match="model.*str"):
        build_client_work("model", _local_training(), report_fields=())
