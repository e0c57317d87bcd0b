"""Tests of `experiments.runs.wrong_labels`: whose label it was that ended a run."""

from __future__ import annotations

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

def load():
    clients = {
        name: {"x": np.eye(3, dtype=np.float32), "y": np.array([0, label, 2], np.int32)}
        for name, label in (("anna", 1), ("bert", 7), ("carl", 0))
    }
    data = ArrayClientData(clients)
    return FederatedDataset("labelled", data, data, num_classes=3)

def loss(logits, labels, sample_weight=None):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses)

def functional():
    x, y = tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None], tf.int32)
    return tff.learning.models.FunctionalModel(
        initial_weights=((np.zeros((3, 3), np.float32),), ()),
        predict_on_batch_fn=tf.function(lambda weights, x, training=True: x @ weights[0][0]),
        loss_fn=tf.function(loss),
        input_spec=collections.OrderedDict(x=x, y=y),
    )
"""


def _dataset(train_label, test_label=0):
    train, test = (
        ArrayClientData({"anna": {"y": np.array([0])}, "bert": {"y": np.array([0, label])}})
        for label in (train_label, test_label)
    )
    return FederatedDataset("labelled", train, test)


@pytest.mark.parametrize(
    ("dataset", "whose"),
    [
        (_dataset(7), " among the training examples of client 'bert'"),
        (_dataset(0, 7), " among the test examples of client 'bert'"),
        (_dataset(0), ""),
    ],
)
def test_the_client_is_found_and_other_errors_stay(dataset, whose):
    with pytest.raises(WrongLabelError) as error, wrong_labels_are_named(dataset):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[7], logits=[[0.0, 0.0, 0.0]])
    assert str(error.value).startswith(
        "labels must lie in 0 … 2, the classes of the model; data set 'labelled' has the label 7"
        f"{whose}. A loss that"
    )
    with pytest.raises(ZeroDivisionError), wrong_labels_are_named(dataset):
        _ = 1 / 0


def test_a_program_with_a_functional_model_of_tffs_names_the_client(run, tmp_path, monkeypatch):
    (tmp_path / "labelled.py").write_text(_OWN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    flags = ("--dataset=labelled:load", "--learning_rate=0.1", "--rounds=1", "--batch_size=3")
    flags = (*flags, "--algorithm=fed_avg", "--clients_per_round=3", "--steps=1")
    ended = run("train", *flags, "--model=labelled:functional", f"--output_dir={tmp_path / 'run'}")
    assert ended.status == 1, ended
    (sentence,) = ended.errors.splitlines()[-1:]
    assert "labels must lie in 0 … 2" in sentence and "client 'bert'" in sentence
    assert "Traceback" not in ended.errors
