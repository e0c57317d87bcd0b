"""Tests of `tff_weights.client_work.reports` and of the steps of `local_data`."""

from __future__ import annotations

import collections
import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import weights as reference_weights
from reference.problem import (
    Examples,
    client_data,
    functional_model,
    initial_vector,
    make_clients,
    model_weights,
)
from reference.simulation import Participant

from tff_weights import LocalTraining, ReportField, build_client_work
from tff_weights.client_work.local_data import LocalData, num_local_steps
from tff_weights.client_work.reports import REPORT_FIELDS, label_entropy, measure_report

_SIZES = (1, 10, 63, 64, 600)


def _local_data(labels, *, num_rows=None):
    """A client with these labels, the rows after them being padding."""
    labels = np.asarray(labels)
    padding = np.zeros((num_rows or len(labels)) - len(labels), labels.dtype)
    examples = collections.OrderedDict(x=None, y=tf.constant(np.append(labels, padding)))
    return LocalData(tf.constant(0, tf.int64), examples, tf.constant(len(labels)))


def _entropy(labels, **arguments):
    return float(label_entropy(_local_data(labels, **arguments), None))


@pytest.mark.parametrize(
    ("labels", "entropy"),
    [
        ([3, 3, 3], 0),
        ([7], 0),
        ([0, 1], math.log(2)),
        ([5, 2, 9, 9], 1.5 * math.log(2)),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], math.log(10)),
    ],
)
def test_entropies_by_hand(labels, entropy):
    """In nats; the fourth is 1/4 ln 4 twice and 1/2 ln 2. Only the counts of the labels matter.

    Their dtype changes nothing, and padding has no label.
    """
    assert _entropy(labels) == pytest.approx(entropy, rel=1e-6)
    for dtype in (np.int64, np.uint8, np.float32):
        padded = _entropy(np.array(labels, dtype), num_rows=64)
        assert padded == pytest.approx(entropy, rel=1e-6)


@pytest.mark.parametrize("num_rows", [0, 64])
def test_no_examples_have_no_entropy(num_rows):
    """Not that of a single label, 0, by which a client without any would be weighed."""
    assert math.isnan(_entropy(np.zeros(0, np.int32), num_rows=num_rows))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=200))
def test_entropy_against_numpy(labels):
    expected = reference_weights.entropy(np.array(labels))
    assert _entropy(labels) == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("fresh_batches", "compile_with_xla"), [(True, False), (False, True)])
def test_entropies_and_sums_of_batch_losses_against_numpy(compile_with_xla, fresh_batches):
    """The sum is over the data set's order, whatever the order and the number of the steps."""
    local_training = LocalTraining(
        learning_rate=0.05,
        batch_size=10,
        steps=3,
        fresh_batches=fresh_batches,
        compile_with_xla=compile_with_xla,
    )
    clients = make_clients(_SIZES)
    process = build_client_work(
        functional_model(), local_training, report_fields=("label_entropy", "batch_loss_sum_before")
    )
    output = process.next(
        process.initialize(),
        [model_weights()] * len(clients),
        [client_data(index, examples) for index, examples in enumerate(clients)],
    )
    for index, (result, examples) in enumerate(zip(output.result, clients)):
        participant = Participant(index, examples, 0, local_training)
        assert dict(result.update_weight) == pytest.approx(
            {
                "label_entropy": reference_weights.entropy(examples.y),
                "batch_loss_sum_before": participant.batch_loss_sum(initial_vector()),
            },
            rel=1e-4,
        )


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_a_sum_of_batch_losses_by_hand(compile_with_xla):
    """From zero weights every example loses ln 3: four batches of at most two lose 4 ln 3.

    Who holds nothing has no such sum, and is left out rather than taken for the best of all.
    """
    local_training = LocalTraining(
        learning_rate=0.05, batch_size=2, epochs=1, compile_with_xla=compile_with_xla
    )
    process = build_client_work(
        functional_model(np.zeros(15)), local_training, report_fields=("batch_loss_sum_before",)
    )
    (examples,) = make_clients([7])
    nobody = Examples(examples.x[:0], examples.y[:0])
    output = process.next(
        process.initialize(),
        [model_weights(np.zeros(15))] * 2,
        [client_data(0, examples), client_data(1, nobody)],
    )
    sums = [result.update_weight["batch_loss_sum_before"] for result in output.result]
    assert sums == pytest.approx([4 * math.log(3), math.nan], rel=1e-5, nan_ok=True)


def test_nothing_but_what_is_named_is_measured():
    """A run that knows nothing but the data is enough for the labels' entropy."""

    class OnlyData:
        data = _local_data([1, 2])
        label_format = None

    entropy = REPORT_FIELDS["label_entropy"]
    assert list(measure_report([entropy], OnlyData())) == ["label_entropy"]
    assert set(REPORT_FIELDS) >= {"label_entropy", "batch_loss_sum_before", "client_index"}


def _loss_fall(run):
    return run.evaluate_before()["loss"] - run.evaluate_after()["loss"]


_OWN_FIELDS = (
    ReportField("loss_fall", _loss_fall, uses=("loss_before", "loss_after")),
    ReportField("largest", lambda run: tf.reduce_max(run.examples["x"])),
    ReportField(
        "moved",
        lambda run: run.weights_after.trainable[1][0] - run.weights_before.trainable[1][0],
    ),
    ReportField("num_classes", lambda run: tf.size(run.label_shares), np.int64, ("label_entropy",)),
    ReportField(
        "first_loss",
        lambda run: (
            run.model.evaluate(
                run.weights_before, {name: x[:1] for name, x in run.examples.items()}, None
            ).loss
        ),
    ),
)


@pytest.mark.parametrize("compile_with_xla", [False, True])
def test_fields_of_ones_own_see_the_data_and_the_model_before_and_after(compile_with_xla):
    """Of −5 − x, where padding repeats no example, the largest is below 0."""
    (examples,) = make_clients([7])
    examples = Examples(-5 - np.abs(examples.x), examples.y)
    training = LocalTraining(
        learning_rate=0.05, batch_size=10, epochs=1, compile_with_xla=compile_with_xla
    )
    process = build_client_work(functional_model(), training, report_fields=_OWN_FIELDS)
    output = process.next(process.initialize(), [model_weights()], [client_data(0, examples)])
    client, w = Participant(0, examples, 0, training), initial_vector()
    own = client.train(w).weights
    assert dict(output.result[0].update_weight) == pytest.approx(
        {
            "loss_fall": client.loss(w) - client.loss(own),
            "largest": examples.x.max(),
            "moved": own[12] - w[12],
            "num_classes": len(np.unique(examples.y)),
            "first_loss": Participant(
                0, Examples(examples.x[:1], examples.y[:1]), 0, training
            ).loss(w),
        },
        rel=1e-3,
        abs=1e-5,
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((ReportField("num_steps", lambda run: run.plan.num_steps),), "'num_steps' is built in"),
        ((*_OWN_FIELDS, _OWN_FIELDS[1]), "different names, got 'largest' twice"),
        ((ReportField("x", _loss_fall, uses=("loss",)),), "uses of report field 'x' must be one"),
        ((ReportField("x", lambda run: run.examples["y"]),), r"'x' must be a scalar, got .*None"),
    ],
)
def test_a_field_of_ones_own_that_cannot_be_is_named(fields, message):
    training = LocalTraining(learning_rate=0.05, batch_size=10, epochs=1)
    with pytest.raises(ValueError, match=message):
        build_client_work(functional_model(), training, report_fields=fields)


def _steps(num_examples, **arguments):
    local_training = LocalTraining(**{"learning_rate": 0.1, "batch_size": 10, **arguments})
    return int(num_local_steps(local_training, tf.constant(num_examples)))


@pytest.mark.parametrize(
    ("num_examples", "given", "steps"),
    [
        (25, {"epochs": 1}, 3),
        (25, {"epochs": 2.0}, 6),
        (25, {"epochs": 1.5}, 3),  # ⌊3.75⌋
        (25, {"epochs": 0.5}, 1),  # ⌊1.25⌋
        (25, {"epochs": 0.1}, 1),  # ⌊0.25⌋, at least 1
        (100, {"epochs": 2.35}, 23),  # ⌊23.5⌋
        (25, {"steps": 7, "fresh_batches": True}, 7),
        *((0, {name: 2}, 0) for name in ("epochs", "steps")),
        (0, {"epochs": 1.5}, 0),
    ],
)
def test_steps_by_hand(num_examples, given, steps):
    """Whole epochs go through every example; other numbers are ⌊E n / 10⌋ steps."""
    assert _steps(num_examples, **given) == steps


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 60), st.sampled_from([1, 10, 16, 20, 32, 50]), st.integers(1, 2000))
def test_a_budget_of_whole_steps_is_met(steps, batch_size, num_examples):
    """FedVeca's fair comparison, section V-A: E = τ B / n gives a client of n examples τ steps.

    E has no exact representation, and E n / B may come out a little less than τ.
    """
    epochs = steps * batch_size / num_examples
    if epochs != int(epochs):
        assert _steps(num_examples, epochs=epochs, batch_size=batch_size) == steps
