"""Tests of `tff_weights.client_work.client_work`: types, reports, steps, padding, shuffling."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
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
from tff_weights.client_work import training_loop

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
    if not len(examples.y):
        return np.zeros(NUM_WEIGHTS)
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
    assert isinstance(process, tff.learning.templates.ClientWorkProcess)
    state = "<server=<round_number=int32,last_round=<>,own=<>>,inner_sum=<>>"
    model = "<float32[4,3],float32[3]>"
    assert str(process.initialize.type_signature) == f"( -> {state}@SERVER)"
    assert str(process.next.type_signature) == (
        f"(<state={state}@SERVER,weights={{<trainable={model},non_trainable=<>>}}@CLIENTS,"
        "clients={<client_index=int64*,examples=<x=float32[?,4],y=int32[?]>*>}@CLIENTS> -> "
        f"<state={state}@SERVER,result={{<update={model},"
        "update_weight=<client_index=int64,accuracy_after=float32>>}@CLIENTS,"
        "measurements=<>@SERVER>)"
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


def test_only_what_is_asked_for_is_measured(monkeypatch):
    measured = []
    evaluate = training_loop.evaluate
    monkeypatch.setattr(
        training_loop,
        "evaluate",
        lambda *arguments, **named: (
            measured.append(named["quantities"]) or evaluate(*arguments, **named)
        ),
    )
    model, training = functional_model(), _local_training()
    without = ("client_index", "num_examples", "num_steps", "learning_rate")
    build_client_work(model, training, report_fields=without)
    assert not measured
    build_client_work(model, training, report_fields=("loss_before", "accuracy_after"))
    assert {("loss",), ("accuracy",)} == {*measured}


def test_what_cannot_be_measured_or_compiled_is_refused():
    for model, arguments, message in (
        ("model", {}, "model.*str"),
        (functional_model(), {"fields": ("gradient_norm",)}, "accuracy_after.*'gradient_norm'"),
        (functional_model(loss_fn=unweighted_cross_entropy), {"xla": True}, "sample_weight"),
    ):
        training = _local_training(compile_with_xla=arguments.get("xla", False))
        with pytest.raises((TypeError, ValueError), match=message):
            build_client_work(model, training, report_fields=arguments.get("fields", ()))


@pytest.mark.parametrize(
    "arguments",
    [
        {"momentum": 0.9},
        {"momentum": 0.9, "proximal_strength": 0.7, "compile_with_xla": True},
        # Whole numbers are numbers.
        {"learning_rate": 1, "learning_rate_decay": 1, "proximal_strength": 1, "epochs": 1},
    ],
)
def test_shuffled_training_against_numpy(clients, arguments):
    """Whatever the number of examples: padding is not seen in the result."""
    local_training = _local_training(shuffle_seed=3, **arguments)
    process = _process(local_training)
    updates, _, state = _run(process, clients)
    _check_updates(updates, clients, local_training)
    updates, _, _ = _run(process, clients, state=state)
    _check_updates(updates, clients, local_training, round_number=1)


@pytest.mark.parametrize(
    ("steps", "compile_with_xla"), [(0, False), (0, True), (8, True), (23, False)]
)
def test_steps_against_numpy(clients, steps, compile_with_xla):
    """None, more than an epoch, less than one, and neither a multiple of one."""
    local_training = _local_training(steps=steps, compile_with_xla=compile_with_xla)
    updates, reports, _ = _run(_process(local_training, ("num_steps",)), clients)
    _check_updates(updates, clients, local_training)
    assert [report["num_steps"] for report in reports] == [steps] * len(clients)


@pytest.mark.parametrize(
    ("amount", "compile_with_xla"), [({"epochs": 0.375}, True), ({"steps": 3}, False)]
)
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


@pytest.mark.parametrize(
    ("arguments", "compile_with_xla"), [({"epochs": 2}, True), ({"steps": 3}, False)]
)
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
    _check_updates(updates, with_empty, local_training)


def test_one_step_by_hand():
    """Two features of 1 and 0 and the label 0 from zero weights, where every class has 1/3.

    The gradient of the logits is (1/3 − 1, 1/3, 1/3), the first feature's weights have the same,
    the others' 0, and the update w_t − w_i is η = 0.3 times that. An equal example adds nothing.
    """
    x = np.zeros((2, 4), np.float32)
    x[:, 0] = 1
    process = _process(LocalTraining(learning_rate=0.3, batch_size=2, epochs=1), ("loss_before",))
    output = process.next(
        process.initialize(),
        [model_weights(np.zeros(NUM_WEIGHTS))],
        [client_data(0, Examples(x, np.zeros(2, np.int32)))],
    )
    kernel, bias = output.result[0].update
    expected = [-0.2, 0.1, 0.1]
    np.testing.assert_allclose(kernel, [expected, *np.zeros((3, 3))], rtol=1e-5)
    np.testing.assert_allclose(bias, expected, rtol=1e-5)
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
    assert state.server.round_number == 3


def test_round_client_and_seed_alone_change_the_order(clients):
    """One client's examples, which without shuffling give one update whatever these are."""
    alike = clients[1:2] * 2
    process = _process(_local_training(shuffle_seed=3))
    forwards, _, _ = _run(process, clients[1:4], indices=[7, 8, 9])
    backwards, _, _ = _run(process, clients[1:4][::-1], indices=[9, 8, 7])
    np.testing.assert_array_equal(forwards, backwards[::-1])
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
