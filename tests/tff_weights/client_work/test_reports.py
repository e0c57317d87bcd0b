"""Tests of `tff_weights.client_work.reports` and of the steps of `local_data`."""

import collections
import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
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
from tff_weights.client_work.reports import label_entropy


def _entropy(labels, *, num_rows):
    """Of a client with these labels, the rows after them being padding."""
    padding = np.zeros(num_rows - len(labels), labels.dtype)
    examples = collections.OrderedDict(x=None, y=tf.constant(np.append(labels, padding)))
    data = LocalData(tf.constant(0, tf.int64), examples, tf.constant(len(labels)))
    return float(label_entropy(data, None))


@pytest.mark.parametrize(
    ("labels", "entropy"),
    [
        ([], math.nan),  # Not 0, by which a client without any would be weighed.
        ([3, 3, 3], 0),
        ([7], 0),
        ([0, 1], math.log(2)),
        ([5, 2, 9, 9], 1.5 * math.log(2)),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], math.log(10)),
    ],
)
def test_entropies_by_hand(labels, entropy):
    """In nats; the fifth is 1/4 ln 4 twice and 1/2 ln 2. Only the counts of the labels matter.

    Their dtype changes nothing, and padding has no label.
    """
    for dtype in (np.int64, np.uint8, np.float32):
        for num_rows in (len(labels), 64):
            found = _entropy(np.array(labels, dtype), num_rows=num_rows)
            assert found == pytest.approx(entropy, rel=1e-6, nan_ok=True)


def _loss_fall(run):
    return run.evaluate_before()["loss"] - run.evaluate_after()["loss"]


_OWN_FIELDS = (
    ReportField("loss_fall", _loss_fall, uses=("loss_before", "loss_after")),
    ReportField("largest", lambda run: tf.reduce_max(run.examples["x"])),
    ReportField(
        "moved", lambda run: run.weights_after.trainable[1][0] - run.weights_before.trainable[1][0]
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
