"""Tests of `tff_weights.client_work.client_work`: types, reports, steps, padding, shuffling."""

import functools
from math import nan

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import weights as reference_weights
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
from tff_weights.client_work.reports import REPORT_FIELDS

_SIZES = (0, 1, 63, 64, 65, 1000)
_ALL_REPORTED = tuple(REPORT_FIELDS)


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


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_reports_against_numpy(clients, compile_with_xla):
    """Each over the client's whole training set, with steps ⌈n/10⌉ in each of two epochs.

    Who has no examples has no losses.
    """
    local_training = _local_training(compile_with_xla=compile_with_xla)
    indices = [6, 5, 4, 3, 2, 2**40]
    _, (of_nobody, *reports), _ = _run(
        _process(local_training, _ALL_REPORTED), clients, indices=indices
    )
    assert list(of_nobody.values()) == pytest.approx([6, 0, 0, 0.05, *[nan] * 6], nan_ok=True)
    w = initial_vector()
    for examples, index, report in zip(clients[1:], indices[1:], reports):
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
                "batch_loss_sum_before": participant.batch_loss_sum(w),
                "label_entropy": reference_weights.entropy(examples.y),
            },
            rel=1e-4,
        )


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
        # None, more than an epoch and less than one.
        {"steps": 0, "compile_with_xla": True},
        # A batch is no wider than the examples, and needs no more memory.
        {"batch_size": 2**30 - 1, "compile_with_xla": True},
        {"batch_size": 2**30 - 1, "steps": 2, "fresh_batches": True},
        {"steps": 23},
    ],
)
def test_shuffled_training_against_numpy(clients, arguments):
    """Whatever the number of examples: padding is not seen in the result."""
    local_training = _local_training(shuffle_seed=3, **arguments)
    process, state = _process(local_training), None
    for round_number in range(2):
        updates, _, state = _run(process, clients, state=state)
        _check_updates(updates, clients, local_training, round_number)


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
        updates, reports, state = _run(process, clients[2:], state=state)
        _check_updates(updates, clients[2:], local_training, round_number)
        assert [report["num_steps"] for report in reports] == list(np.add(of_each_round, extra))


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
