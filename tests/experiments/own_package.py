"""A package of one's own: an algorithm, a weighting with a report field of its own, and the rest.

Tests copy it to where a user would have it; nothing here imports it.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

import leaf_data
import tff_weights
from experiments.declaration import (
    Algorithm,
    Artifact,
    Claim,
    Metric,
    Paper,
    Recipe,
    Scale,
    Variant,
)
from experiments.declaration.algorithm import GLOBAL_MODEL
from leaf_data import extensions
from leaf_data.client_data import num_examples_per_client


def power_weighting(power: float = 0.5) -> tff_weights.Weighting:
    """Weighs by the number of examples to a power.

    Args:
        power: The power; 0 weighs all alike.
    """

    def weigh(history, reports):
        powers = tf.pow(reports["size"], power)
        return tff_weights.Weighed(powers / tf.reduce_sum(powers), history)

    size = tff_weights.ReportField("size", lambda run: run.data.num_examples)
    return tff_weights.Weighting(name="power", report_fields=(size,), weigh=weigh)


def build_mine(model, *, local_training, power: float = 2.0):
    """Builds FedAvg with another weighting.

    Args:
        model: The model.
        local_training: What a client does.
        power: To which the number of examples is taken.
    """
    return tff_weights.compose_algorithm(
        model, local_training=local_training, weighting=power_weighting(power)
    )


def smallest_clients(run, task):
    """Selects the clients with the fewest examples in every round."""
    by_size = np.argsort(num_examples_per_client(task.dataset.train), kind="stable")
    return lambda *_: sorted(by_size[: run.configuration.clients_per_round].tolist())


def on_test_data_alone(prepared):
    """Evaluates the global model; what is said of the training data is of the test data, too."""
    of_global_model = extensions.load(GLOBAL_MODEL)(prepared)

    def evaluate(state):
        found = of_global_model.evaluate(state)
        return dataclasses.replace(found, evaluate_train=lambda: found.test)

    return of_global_model._replace(evaluate=evaluate)


def load_images(seed, num_clients: int = 3):
    """Images of noise, brighter where the label is 1."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 2, 40 * num_clients)
    x = generator.uniform(size=(len(y), 8, 8)) + y[:, np.newaxis, np.newaxis]
    return leaf_data.from_arrays(x, y, np.arange(len(y)) % num_clients, seed=seed, name="images")


def build_model(dataset):
    """A network in Keras."""
    return tf.keras.Sequential(
        [
            tf.keras.layers.InputLayer(dataset.train.element_type_structure["x"].shape),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(dataset.num_classes),
        ]
    )


def load_numbers(seed, num_clients: int = 3):
    """Numbers that are twice a feature, and more by the client's own number."""
    generator = np.random.default_rng(seed)
    client = np.arange(40 * num_clients) % num_clients
    x = generator.normal(size=(len(client), 4))
    return leaf_data.from_arrays(x, 2 * x[:, 0] + 0.1 * client, client, seed=seed, name="numbers")


def build_line(dataset):
    """A line, in Keras."""
    shape = dataset.train.element_type_structure["x"].shape
    return tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=shape)])


NOT_AN_ALGORITHM = {"power": 2.0}

_SMALL = Scale(1, settings={"epochs": None, "steps": 2, "num_clients": 4, "clients_per_round": 2})
_ACCURACY = Metric("test_average", "average %")
_ROOT = Variant("Toy", "toy")


def _artifact(name, *variants):
    return Artifact(
        name=name,
        title="The toy",
        datasets=("synthetic_1_1",),
        variants=variants,
        scales=dict.fromkeys(("smoke", "short", "paper"), _SMALL),
        metrics=(_ACCURACY,),
    )


PAPER = Paper(
    name="toy",
    title="Toy",
    citation="Nobody, Nowhere 2000",
    algorithms={
        "toy": Algorithm(build_mine, cohorts=smallest_clients, evaluation=on_test_data_alone)
    },
    recipes=(
        Recipe({"learning_rate": 0.05, "power": 0.5}, source="Section 2", algorithms=("toy",)),
    ),
    artifacts=(
        _artifact("toy/table", _ROOT, Variant("Toy, squared", "toy", {"power": 2.0})),
        _artifact("toy/other", _ROOT),
    ),
    claims=(
        Claim(
            name="toy/better",
            statement="The toy is better than its square.",
            source="Abstract",
            artifact="toy/table",
            metric=_ACCURACY,
            better="Toy",
            worse="Toy, squared",
        ),
    ),
)
