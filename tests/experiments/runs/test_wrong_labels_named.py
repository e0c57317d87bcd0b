"""Tests of `experiments.runs.wrong_labels`: whose label it was that ended a run."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from experiments.runs.configure import configure
from experiments.runs.training import prepare
from experiments.runs.wrong_labels import WrongLabelError, wrong_labels_are_named
from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import FederatedDataset


def _dataset(train_label, test_label=0):
    train, test = (
        ArrayClientData(
            {
                name: {"x": np.eye(2, 3, dtype=np.float32), "y": np.array([0, label], np.int32)}
                for name, label in (("anna", 1), ("bert", of_bert))
            }
        )
        for of_bert in (train_label, test_label)
    )
    return FederatedDataset("labelled", train, test, num_classes=3)


def load():
    """Data of one's own whose second client's label 7 is no class."""
    return _dataset(7)


def functional():
    """A model of one's own with TensorFlow's loss."""

    def loss(logits, labels, sample_weight=None):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_mean(losses)

    x, y = tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None], tf.int32)
    return tff.learning.models.FunctionalModel(
        initial_weights=((np.zeros((3, 3), np.float32),), ()),
        predict_on_batch_fn=tf.function(lambda weights, x, training=True: x @ weights[0][0]),
        loss_fn=tf.function(loss),
        input_spec=collections.OrderedDict(x=x, y=y),
    )


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
    assert f"'labelled' has the label 7{whose}." in str(error.value)
    with pytest.raises(ZeroDivisionError), wrong_labels_are_named(dataset):
        _ = 1 / 0


def test_a_run_with_a_functional_model_of_tffs_names_the_client(tmp_path):
    given = {"learning_rate": 0.1, "rounds": 1, "clients_per_round": 2, "steps": 1, "batch_size": 2}
    configuration = configure(
        "fed_avg", f"{__name__}:load", {**given, "model": f"{__name__}:functional"}
    )
    with pytest.raises(WrongLabelError, match="labels must lie in 0 … 2, .* client 'bert'"):
        prepare(configuration, tmp_path / "run").execute(show_progress=False)
