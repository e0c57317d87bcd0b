"""Tests of `experiments.runs.wrong_labels`: whose label it was that ended a run."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import tensorflow as tf

from experiments.runs.wrong_labels import WrongLabelError, wrong_labels_are_named
from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import FederatedDataset

# The second client's label 7 is no class; the functional model has TensorFlow's own loss.
_OWN = """
import collections
import numpy as np, tensorflow as tf, tensorflow_federated as tff
from leaf_data import FederatedDataset
from leaf_data.client_data import ArrayClientData

def load(wrong: int = 7):
    clients = {
        name: {"x": np.eye(3, dtype=np.float32), "y": np.array([0, label, 2], np.int32)}
        for name, label in (("anna", 1), ("bert", wrong), ("carl", 0))
    }
    data = ArrayClientData(clients)
    return FederatedDataset("labelled", data, data, num_classes=3)

def network():
    layers = [tf.keras.layers.InputLayer([3]), tf.keras.layers.Dense(3)]
    return tf.keras.Sequential(layers)

@tf.function
def predict(weights, x, training=True):
    return x @ weights[0][0]

@tf.function
def loss(logits, labels, sample_weight=None):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )

def functional():
    return tff.learning.models.FunctionalModel(
        initial_weights=((np.zeros((3, 3), np.float32),), ()),
        predict_on_batch_fn=predict,
        loss_fn=loss,
        input_spec=collections.OrderedDict(
            x=tf.TensorSpec([None, 3], tf.float32), y=tf.TensorSpec([None], tf.int32)
        ),
    )
"""


def _dataset(train_label, test_label=0):
    def client_data(label):
        return ArrayClientData(
            {
                "anna": {"x": np.zeros([1, 2]), "y": np.array([0])},
                "bert": {"x": np.zeros([2, 2]), "y": np.array([0, label])},
            }
        )

    return FederatedDataset("labelled", client_data(train_label), client_data(test_label))


@pytest.mark.parametrize(
    ("dataset", "whose"),
    [
        (_dataset(7), " among the training examples of client 'bert'"),
        (_dataset(0, 7), " among the test examples of client 'bert'"),
        (_dataset(0), ""),
    ],
)
def test_the_client_is_found(dataset, whose):
    with pytest.raises(WrongLabelError) as error, wrong_labels_are_named(dataset):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[7], logits=[[0.0, 0.0, 0.0]])
    assert str(error.value).startswith(
        "labels must lie in 0 … 2, the classes of the model; data set 'labelled' has the label 7"
        f"{whose}. A loss that"
    )


def test_other_errors_stay_what_they_are():
    with pytest.raises(ZeroDivisionError), wrong_labels_are_named(_dataset(0)):
        _ = 1 / 0


def test_a_program_names_the_client_or_leaves_it_out(run_each, tmp_path, monkeypatch):
    """With a functional model of TFF's it ends with status 1; with a Keras model it trains on."""
    (tmp_path / "labelled.py").write_text(_OWN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    flags = ("--dataset=labelled:load", "--learning_rate=0.1", "--rounds=1", "--batch_size=3")
    flags = (*flags, "--algorithm=fed_avg", "--clients_per_round=3", "--steps=1")
    functional, keras = run_each(
        "train",
        [
            (*flags, f"--model=labelled:{model}", f"--output_dir={tmp_path / model}")
            for model in ("functional", "network")
        ],
    )
    assert functional.status == 1, functional
    (sentence,) = functional.errors.splitlines()[-1:]
    assert "labels must lie in 0 … 2" in sentence and "client 'bert'" in sentence
    assert "Traceback" not in functional.errors
    assert keras.status == 0, keras
    rows = list(csv.DictReader((tmp_path / "network" / "metrics.csv").open()))
    assert [row for name, row in rows[-1].items() if name.endswith("num_left_out")] == ["1"]
