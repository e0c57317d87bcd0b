from __future__ import annotations

import collections
import inspect
from typing import Optional

import pytest
import tensorflow as tf

import tff_weights
from experiments.declaration import builder
from experiments.papers import catalogue

_EMPTY = inspect.Parameter.empty


def _build(
    net,
    *,
    local_training,
    num_clients: int,
    sharpness: float,
    power: float | None = None,
    steps: Optional[int] = None,  # noqa: UP045
    by="entropy",
    audit=False,
    anything=None,
    server_update=print,
    sizes=(1, 2),
    correct_fn=None,
    **others,
):
    """Builds something.

    Args:
        net: The model.
        sharpness: How sharp,
            in `[0, 1]`.
        by: What.

    Returns:
        A process.
    """


def test_hyperparameters_are_read_off_signature_and_docstring():
    """The model, what the run decides, and what JSON does not hold, are none."""
    found = builder.hyperparameters(_build)
    assert [(a.name, a.default, a.kind, a.description) for a in found.values()] == [
        ("sharpness", _EMPTY, float, "How sharp, in `[0, 1]`."),
        ("power", None, float, ""),
        ("steps", None, int, ""),
        ("by", "entropy", str, "What."),
        ("audit", False, bool, ""),
        ("anything", None, None, ""),
    ]
    assert [a.name for a in found.values() if not a.has_default] == ["sharpness"]


def test_every_hyperparameter_of_the_papers_is_described():
    for name, algorithm in catalogue.algorithms().items():
        for argument in algorithm.hyperparameters.values():
            assert argument.description, (name, argument.name)
            assert argument.kind is not None, (name, argument.name)


def _by_loss(temperature: float = 1.0, *, num_clients: int) -> tff_weights.Weighting:
    """Weighs by the loss.

    Args:
        temperature: What the loss is divided by.
    """
    assert num_clients == 4

    def weigh(history, reports):
        return tff_weights.Weighed(tf.nn.softmax(reports["loss_after"] / temperature), history)

    return tff_weights.Weighting(name="by_loss", report_fields=("loss_after",), weigh=weigh)


def test_a_weighting_becomes_a_builder_with_its_hyperparameters(monkeypatch):
    build = builder.builder_around(_by_loss, name="own:_by_loss")
    assert builder.is_builder(build) and not builder.is_builder(_by_loss)
    (argument,) = builder.hyperparameters(build).values()
    assert (argument.name, argument.default, argument.kind) == ("temperature", 1.0, float)
    assert argument.description == "What the loss is divided by."
    assert {"num_clients", "correct_fn", "wrap_client_work"} <= set(
        inspect.signature(build).parameters
    )
    monkeypatch.setattr(tff_weights, "compose_algorithm", lambda *args, **given: (args, given))
    (model,), given = build("m", local_training="once", num_clients=4, temperature=0.5)
    assert (model, given["local_training"]) == ("m", "once")
    weighed = given["weighting"].weigh((), {"loss_after": tf.constant([0.0, 1.0])})
    assert weighed[0].numpy() == pytest.approx(tf.nn.softmax([0.0, 2.0]).numpy())
    assert builder.hyperparameters(builder.builder_around(given["weighting"], name="it")) == {}


def test_what_is_neither_is_refused():
    with pytest.raises(ValueError, match="own:it is a OrderedDict; it must be a builder"):
        builder.builder_around(collections.OrderedDict(), name="own:it")
    build = builder.builder_around(lambda: 3, name="own:it")
    with pytest.raises(ValueError, match="own:it returned a int; it must be a tff_weights.Weig"):
        build(None, local_training=None)
