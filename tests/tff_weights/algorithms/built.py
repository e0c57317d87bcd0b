"""Processes on the small federation: each is built once, and runs its five rounds once."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds
from reference.problem import Examples, client_data, functional_model, to_vector

from tff_weights import OwnModels


class Rounds(NamedTuple):
    """The weights and the metrics after each round, and the last state."""

    trajectory: list[np.ndarray]
    metrics: list[Any]
    state: Any


@functools.cache
def built(build: Callable[..., Any], **arguments: Any) -> tff.learning.templates.LearningProcess:
    return build(functional_model(), **{"local_training": LOCAL_TRAINING, **arguments})


@functools.cache
def five_rounds(build: Callable[..., Any], **arguments: Any) -> Rounds:
    return Rounds(*run_rounds(built(build, **arguments)))


def weights_of(process: Any, state: Any) -> np.ndarray:
    return to_vector(process.get_model_weights(state).trainable)


class Personal:
    """A process that keeps models of its clients' own, and the folder where they are."""

    def __init__(self, build: Callable[..., Any], folder: pathlib.Path, **arguments: Any) -> None:
        given = {"local_training": LOCAL_TRAINING, "num_clients": len(CLIENTS), **arguments}
        self.process = build(functional_model(), store_dir=folder, **given)
        self.own = OwnModels(functional_model(), folder)
        self._num_clients = given["num_clients"]

    def models(self, state: Any) -> np.ndarray:
        weights = (self.own.weights(state, index) for index in range(self._num_clients))
        return np.stack([to_vector(each.trainable) for each in weights])


def unknown_data(index: int) -> Any:
    """The data of a client whose index no server knows; `client_data` refuses negative ones."""
    data = client_data(0, CLIENTS[1])
    return {**data, "client_index": tf.data.Dataset.from_tensors(np.int64(index))}


def broken_data(index: int) -> Any:
    """A client whose features, and so its update, are no numbers."""
    return client_data(index, Examples(np.full_like(CLIENTS[index].x, np.nan), CLIENTS[index].y))


def empty_data(index: int) -> Any:
    """A client without examples."""
    return client_data(index, Examples(CLIENTS[index].x[:0], CLIENTS[index].y[:0]))


def published(metrics: Any, field: str) -> dict[int, float]:
    """What the cohort's clients reported in a round, by their index."""
    reports = metrics["aggregator"]["cohort"]["reports"]
    return dict(zip(reports["client_index"], reports[field]))
